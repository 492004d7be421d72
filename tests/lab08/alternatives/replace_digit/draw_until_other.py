"""Images are drawn until one is of another class."""


def replace_digit(dataset, i, k, images, labels, rng):
    old = int(dataset.digits[i][k])
    j = rng.integers(len(labels))
    while labels[j] == old:
        j = rng.integers(len(labels))
    canvas = np.zeros((28, dataset.width), dtype=np.float32)
    for n, (source, x) in enumerate(zip(dataset.src[i], dataset.xs[i])):
        picture = images[j] if n == k else dataset.images[source]
        canvas[:, x : x + 28] = np.maximum(canvas[:, x : x + 28], picture / np.float32(255))
    return torch.from_numpy(canvas)[None], [
        int(labels[j]) if n == k else int(d) for n, d in enumerate(dataset.digits[i])
    ]
