"""The loss is summed over the sequence, step by step."""

MODULE = "training"


class RNNTrainer(Trainer):
    def __init__(self, model, loss_fn, optimizer, device="cpu"):
        super().__init__(model, loss_fn, optimizer, device)
        self.h = None

    def train_epoch(self, dl_train, **kw):
        self.h = None
        return super().train_epoch(dl_train, **kw)

    def test_epoch(self, dl_test, **kw):
        self.h = None
        return super().test_epoch(dl_test, **kw)

    def train_batch(self, batch):
        x, y = batch
        x, y = x.to(self.device).float(), y.to(self.device).long()
        S = y.shape[1]
        self.optimizer.zero_grad()
        scores, h = self.model(x, self.h)
        loss = sum(self.loss_fn(scores[:, t], y[:, t]) for t in range(S))
        loss.backward()
        self.optimizer.step()
        self.h = h.detach()
        correct = (scores.argmax(-1) == y).sum().item()
        return BatchResult(loss.item(), correct / S)

    def test_batch(self, batch):
        x, y = batch
        x, y = x.to(self.device).float(), y.to(self.device).long()
        S = y.shape[1]
        with torch.no_grad():
            scores, h = self.model(x, self.h)
            self.h = h.detach()
            loss = sum(self.loss_fn(scores[:, t], y[:, t]) for t in range(S))
            correct = (scores.argmax(-1) == y).sum().item()
        return BatchResult(loss.item(), correct / S)
