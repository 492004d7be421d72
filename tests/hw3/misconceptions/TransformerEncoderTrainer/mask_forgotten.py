"""While testing, the model is told that padding is text too."""

MODULE = "training"
FAILS = ("test_loss[test_batch]",)


def _test(self, batch):
    ids = batch["input_ids"].to(self.device)
    label = batch["label"].to(self.device).float()
    with torch.no_grad():
        logits = self.model(ids, torch.ones_like(ids)).squeeze(-1)
        loss = self.loss_fn(logits, label)
    return BatchResult(loss.item(), ((logits > 0) == (label == 1)).sum().item())


TransformerEncoderTrainer.test_batch = _test
