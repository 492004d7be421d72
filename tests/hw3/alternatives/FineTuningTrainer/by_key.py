"""The model's output read by key."""

MODULE = "training"


def _train(self, batch):
    batch = {name: value.to(self.device) for name, value in batch.items()}
    self.optimizer.zero_grad()
    outputs = self.model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"], labels=batch["label"])
    outputs["loss"].backward()
    self.optimizer.step()
    guess = outputs["logits"].max(dim=1)[1]
    return BatchResult(outputs["loss"].item(), guess.eq(batch["label"]).sum().item())


def _test(self, batch):
    with torch.no_grad():
        batch = {name: value.to(self.device) for name, value in batch.items()}
        result = self.model(batch["input_ids"], batch["attention_mask"], labels=batch["label"])
        loss, scores = result.to_tuple()[:2]
    return BatchResult(float(loss), int((scores.argmax(1) == batch["label"]).sum()))


FineTuningTrainer.train_batch = _train
FineTuningTrainer.test_batch = _test
