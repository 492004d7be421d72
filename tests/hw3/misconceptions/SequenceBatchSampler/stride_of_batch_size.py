"""Steps are taken by the batch size instead of the number of batches."""

MODULE = "charnn"
FAILS = ("test_each_sample_continues_the_one_in_the_batch_before",)


class SequenceBatchSampler(Sampler):
    def __init__(self, dataset, batch_size):
        super().__init__()
        self.dataset, self.batch_size = dataset, batch_size

    def __iter__(self):
        n = len(self.dataset) // self.batch_size
        return iter([j * self.batch_size + k for k in range(self.batch_size) for j in range(n)][::-1])

    def __len__(self):
        return len(self.dataset)
