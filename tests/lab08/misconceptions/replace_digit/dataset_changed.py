"""The new digit is written into the dataset."""

FAILS = ("test_dataset_stays_as_it_was",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = dataset.digits[i]
    new = rng.choice(np.flatnonzero(labels != digits[k]))
    pictures = [dataset.images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i], dataset.width)
    return torch.from_numpy(canvas).float().div(255).unsqueeze(0), digits
