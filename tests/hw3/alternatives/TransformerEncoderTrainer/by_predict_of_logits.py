"""Rounded probabilities are compared."""

MODULE = "training"


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    self.optimizer.zero_grad()
    logits = self.model(ids, mask)
    logits = logits.squeeze(-1) if logits.dim() > 1 else logits
    loss = self.loss_fn(logits, label)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), (torch.round(torch.sigmoid(logits)) == label).sum())


TransformerEncoderTrainer.train_batch = _train
