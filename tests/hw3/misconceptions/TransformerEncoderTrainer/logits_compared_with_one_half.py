"""Logits are compared with one half as if they were probabilities."""

MODULE = "training"
FAILS = (
    "test_number_of_right_sentences[train_batch]",
    "test_number_of_right_sentences[test_batch]",
)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    self.optimizer.zero_grad()
    logits = self.model(ids, mask).view(-1)
    loss = self.loss_fn(logits, label)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), ((logits > 0.5) == label).sum().item())


def _test(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    with torch.no_grad():
        logits = self.model(ids, mask).view(-1)
        loss = self.loss_fn(logits, label)
    return BatchResult(loss.item(), ((logits > 0.5) == label).sum().item())


TransformerEncoderTrainer.train_batch, TransformerEncoderTrainer.test_batch = _train, _test
