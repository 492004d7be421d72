"""num_correct is a share instead of a number."""

MODULE = "training"
FAILS = ("test_number_of_right_sentences",)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    self.optimizer.zero_grad()
    logits = self.model(ids, mask)
    logits = logits.squeeze(-1) if logits.dim() > 1 else logits
    loss = self.loss_fn(logits, label)
    loss.backward()
    self.optimizer.step()
    return BatchResult(loss.item(), ((logits > 0).float() == label).float().mean().item())


TransformerEncoderTrainer.train_batch = _train
