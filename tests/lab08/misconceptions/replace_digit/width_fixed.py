"""The strip is drawn 336 pixels wide; the dataset has its own width."""

FAILS = ("test_form_of_the_image[224]",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = list(dataset.digits[i])
    new = rng.choice(np.flatnonzero(labels != digits[k]))
    pictures = [dataset.images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i])
    return torch.from_numpy(canvas).float().div(255).unsqueeze(0), digits
