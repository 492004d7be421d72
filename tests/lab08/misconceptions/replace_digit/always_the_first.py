"""The new digit is always the first image of another class; it should be a random one."""

FAILS = ("test_every_image_of_another_class_can_come",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = list(dataset.digits[i])
    new = np.flatnonzero(labels != digits[k])[0]
    pictures = [dataset.images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i], dataset.width)
    return torch.from_numpy(canvas).float().div(255).unsqueeze(0), digits
