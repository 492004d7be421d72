"""The image has grey values from 0 to 255; they should lie in 0 to 1."""

FAILS = ("test_form_of_the_image",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = list(dataset.digits[i])
    new = rng.choice(np.flatnonzero(labels != digits[k]))
    pictures = [dataset.images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i], dataset.width)
    return torch.from_numpy(canvas).float().unsqueeze(0), digits
