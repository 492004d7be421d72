"""Gradients of earlier batches are not cleared."""

MODULE = "training"
FAILS = ("test_one_step_a_batch",)


def _train(self, batch):
    x, _ = batch
    x = x.to(self.device)
    pass
    xr, mu, ls = self.model(x)
    loss, data_loss, _ = self.loss_fn(x, xr, mu, ls)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), 1 / data_loss.item())


VAETrainer.train_batch = _train
