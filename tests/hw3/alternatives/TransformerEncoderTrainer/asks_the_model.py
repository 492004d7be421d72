"""The model's own predictions are counted, and gradients are cleared after the step."""

MODULE = "training"


def _count(trainer, ids, mask, label):
    with torch.no_grad():
        return torch.eq(trainer.model.predict(ids, mask).flatten().int(), label.int()).count_nonzero().item()


def _train(self, batch):
    ids, mask, label = (batch[key].to(self.device) for key in ("input_ids", "attention_mask", "label"))
    num_correct = _count(self, ids, mask, label)
    loss = self.loss_fn(self.model(ids, mask).flatten(), label.type(torch.float32))
    loss.backward()
    self.optimizer.step()
    self.optimizer.zero_grad()
    return BatchResult(loss=loss.detach(), num_correct=num_correct)


@torch.no_grad()
def _test(self, batch):
    ids, mask, label = (batch[key].to(self.device) for key in ("input_ids", "attention_mask", "label"))
    loss = self.loss_fn(self.model(ids, mask).flatten(), label.type(torch.float32))
    return BatchResult(loss=loss, num_correct=_count(self, ids, mask, label))


TransformerEncoderTrainer.train_batch = _train
TransformerEncoderTrainer.test_batch = _test
