"""The new digit is drawn with NumPy's global generator, not with `rng`."""

FAILS = ("test_same_generator_state_gives_the_same_strip",)


def replace_digit(dataset, i, k, images, labels, rng):
    digits = list(dataset.digits[i])
    new = np.random.choice(np.flatnonzero(labels != digits[k]))
    pictures = [dataset.images[j] for j in dataset.src[i]]
    pictures[k] = images[new]
    digits[k] = int(labels[new])
    canvas = draw_strip(pictures, range(len(pictures)), dataset.xs[i], dataset.width)
    return torch.from_numpy(canvas).float().div(255).unsqueeze(0), digits
