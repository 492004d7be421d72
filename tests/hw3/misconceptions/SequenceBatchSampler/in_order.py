"""Samples come in their order, so a batch does not continue the one before it."""

MODULE = "charnn"
FAILS = ("test_each_sample_continues_the_one_in_the_batch_before",)


class SequenceBatchSampler(Sampler):
    def __init__(self, dataset, batch_size):
        super().__init__()
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        return iter(range(len(self.dataset) // self.batch_size * self.batch_size))

    def __len__(self):
        return len(self.dataset)
