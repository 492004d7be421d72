"""One method for both, on columns; a logit of 0 counts for class 1."""

MODULE = "training"


class TransformerEncoderTrainer(Trainer):
    def train_batch(self, batch):
        return self._batch(batch, train=True)

    def test_batch(self, batch):
        return self._batch(batch, train=False)

    def _batch(self, batch, train):
        on_device = {key: value.to(self.device) for key, value in batch.items()}
        truth = on_device["label"].float().view(-1, 1)
        with torch.set_grad_enabled(train):
            scores = self.model(on_device["input_ids"], on_device["attention_mask"]).view(-1, 1)
            loss = self.loss_fn(scores, truth)
        if train:
            for parameter in self.model.parameters():
                parameter.grad = None
            loss.backward()
            self.optimizer.step()
        wrong = torch.logical_xor(scores >= 0, truth.bool()).sum()
        return BatchResult(float(loss), len(truth) - int(wrong))
