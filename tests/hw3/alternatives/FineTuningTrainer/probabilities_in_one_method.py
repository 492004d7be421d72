"""One method for both, everything by keyword, and class 1 from a probability of one half on."""

MODULE = "training"


class FineTuningTrainer(Trainer):
    def train_batch(self, batch):
        result = self._forward(batch)
        self.optimizer.zero_grad()
        result.loss.backward()
        self.optimizer.step()
        return self._counted(result, batch)

    @torch.inference_mode()
    def test_batch(self, batch):
        return self._counted(self._forward(batch), batch)

    def _forward(self, batch):
        inputs = {"labels" if key == "label" else key: value.to(self.device) for key, value in batch.items()}
        return self.model(**inputs)

    def _counted(self, result, batch):
        says_one = torch.softmax(result.logits, dim=-1)[:, 1] >= 0.5
        right = [bool(said) == bool(label) for said, label in zip(says_one, batch["label"])]
        return BatchResult(loss=float(result.loss), num_correct=sum(right))
