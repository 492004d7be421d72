"""Testing tracks gradients."""

MODULE = "training"
FAILS = ("test_testing_changes_nothing",)


def _test(self, batch):
    x = batch[0].to(self.device)
    loss, data_loss, _ = self.loss_fn(x, *self.model(x))
    return BatchResult(loss.item(), 1 / data_loss.item())


VAETrainer.test_batch = _test
