"""Indices of numpy's, and the number of batches as length."""

MODULE = "charnn"


class SequenceBatchSampler(Sampler):
    def __init__(self, dataset, batch_size):
        super().__init__()
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        import numpy as np

        n = len(self.dataset) // self.batch_size
        yield from np.arange(n * self.batch_size).reshape(self.batch_size, n).T.reshape(-1)

    def __len__(self):
        return len(self.dataset) // self.batch_size * self.batch_size
