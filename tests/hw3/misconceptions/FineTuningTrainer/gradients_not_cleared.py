"""Gradients of earlier batches are not cleared."""

MODULE = "training"
FAILS = ("test_one_step_a_batch",)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    labels = batch["label"].to(self.device)
    pass
    out = self.model(ids, attention_mask=mask, labels=labels)
    loss = out.loss
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), (out.logits.argmax(1) == labels).sum().item())


FineTuningTrainer.train_batch = _train
