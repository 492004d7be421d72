"""The other digits are redrawn from the images given for the new digit, not from the dataset's own."""

FAILS = ("test_other_digits_keep_their_images",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = list(dataset.digits[i])
    new = rng.choice(np.flatnonzero(labels != digits[k]))
    pictures = [images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i], dataset.width)
    return torch.from_numpy(canvas).float().div(255).unsqueeze(0), digits
