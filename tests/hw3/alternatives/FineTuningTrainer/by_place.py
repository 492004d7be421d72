"""The model's output read by place."""

MODULE = "training"


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    labels = batch["label"].to(self.device)
    self.optimizer.zero_grad()
    out = self.model(ids, attention_mask=mask, labels=labels)
    loss, logits = out[0], out[1]
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), (torch.argmax(logits, dim=-1) == labels).sum())


FineTuningTrainer.train_batch = _train
