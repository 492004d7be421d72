"""The incomplete last batch is kept."""

MODULE = "charnn"
FAILS = ("test_full_batches_only",)


class SequenceBatchSampler(Sampler):
    def __init__(self, dataset, batch_size):
        super().__init__()
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        n = len(self.dataset) // self.batch_size
        order = [k * n + j for j in range(n) for k in range(self.batch_size)]
        return iter(order + list(range(n * self.batch_size, len(self.dataset))))

    def __len__(self):
        return len(self.dataset)
