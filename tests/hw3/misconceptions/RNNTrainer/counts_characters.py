"""num_correct is not divided by the length of the sequence."""

MODULE = "training"
FAILS = ("test_number_of_right_characters",)


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
        loss = self.loss_fn(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
        loss.backward()
        self.optimizer.step()
        self.h = h.detach()
        correct = (scores.argmax(-1) == y).sum().item()
        return BatchResult(loss.item(), correct)

    def test_batch(self, batch):
        x, y = batch
        x, y = x.to(self.device).float(), y.to(self.device).long()
        S = y.shape[1]
        with torch.no_grad():
            scores, h = self.model(x, self.h)
            self.h = h.detach()
            loss = self.loss_fn(scores.reshape(-1, scores.shape[-1]), y.reshape(-1))
            correct = (scores.argmax(-1) == y).sum().item()
        return BatchResult(loss.item(), correct)
