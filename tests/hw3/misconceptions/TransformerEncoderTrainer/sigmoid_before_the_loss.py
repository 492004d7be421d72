"""A sigmoid is taken before a loss that takes logits."""

MODULE = "training"
FAILS = ("test_loss",)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    self.optimizer.zero_grad()
    logits = self.model(ids, mask)
    logits = logits.squeeze(-1) if logits.dim() > 1 else logits
    loss = self.loss_fn(torch.sigmoid(logits), label)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), ((torch.sigmoid(logits) > 0.5).float() == label).sum().item())


TransformerEncoderTrainer.train_batch = _train
