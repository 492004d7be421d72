"""The attention mask is not passed on."""

MODULE = "training"
FAILS = ("test_loss",)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    labels = batch["label"].to(self.device)
    self.optimizer.zero_grad()
    out = self.model(ids, attention_mask=torch.ones_like(mask), labels=labels)
    loss = out.loss
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), (out.logits.argmax(1) == labels).sum().item())


FineTuningTrainer.train_batch = _train
