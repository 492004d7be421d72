"""Results are tensors without a graph."""

MODULE = "training"


def _train(self, batch):
    x, _ = batch
    x = x.to(self.device)
    self.optimizer.zero_grad(set_to_none=True)
    xr, mu, ls = self.model(x)
    loss, data_loss, _ = self.loss_fn(x, xr, mu, ls)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.detach(), 1 / data_loss.item())


VAETrainer.train_batch = _train
