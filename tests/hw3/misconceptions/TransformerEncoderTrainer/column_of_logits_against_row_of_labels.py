"""A column of predictions is compared with a row of labels, and so each sentence with all labels."""

MODULE = "training"
FAILS = ("test_number_of_right_sentences",)


def _train(self, batch):
    ids, mask = batch["input_ids"].to(self.device), batch["attention_mask"].to(self.device)
    label = batch["label"].to(self.device).float()
    self.optimizer.zero_grad()
    logits = self.model(ids, mask).reshape(-1, 1)
    loss = self.loss_fn(logits, label.unsqueeze(1))
    loss.backward()
    self.optimizer.step()
    num_correct = (torch.round(torch.sigmoid(logits)) == label).sum()
    return BatchResult(loss.item(), num_correct.item())


TransformerEncoderTrainer.train_batch = _train
