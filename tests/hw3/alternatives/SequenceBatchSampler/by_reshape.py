"""A reshaped and transposed tensor, which yields 0-d tensors."""

MODULE = "charnn"


class SequenceBatchSampler(Sampler):
    def __init__(self, dataset, batch_size):
        super().__init__()
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        n = len(self.dataset) // self.batch_size
        return iter(torch.arange(n * self.batch_size).view(self.batch_size, n).T.flatten())

    def __len__(self):
        return len(self.dataset)
