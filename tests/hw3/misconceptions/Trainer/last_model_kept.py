"""The checkpoint is written after every epoch, so it holds the last model."""

MODULE = "training"
FAILS = ("test_the_best_model_is_kept",)


import os


def _fit(
    self, dl_train, dl_test, num_epochs, checkpoints=None, early_stopping=None, print_every=1, post_epoch_fn=None, **kw
):
    train_loss, train_acc, test_loss, test_acc = [], [], [], []
    ran, best, ewi = 0, None, 0
    if checkpoints is not None and os.path.isfile(f"{checkpoints}.pt"):
        saved = torch.load(f"{checkpoints}.pt")
        best, ewi = saved["best_acc"], saved["ewi"]
        self.model.load_state_dict(saved["model_state"])
    for epoch in range(num_epochs):
        a = self.train_epoch(dl_train, **kw)
        b = self.test_epoch(dl_test, **kw)
        train_loss += a.losses
        test_loss += b.losses
        train_acc.append(a.accuracy)
        test_acc.append(b.accuracy)
        ran += 1
        stop = False
        if best is None or b.accuracy > best:
            best, ewi = b.accuracy, 0
            if checkpoints is not None:
                torch.save({"best_acc": best, "ewi": ewi, "model_state": self.model.state_dict()}, f"{checkpoints}.pt")
        else:
            ewi += 1
            stop = early_stopping is not None and ewi >= early_stopping
        torch.save(
            {"best_acc": best, "ewi": ewi, "model_state": self.model.state_dict()}, f"{checkpoints}.pt"
        ) if checkpoints is not None else None
        if post_epoch_fn is not None:
            post_epoch_fn(epoch, a, b, True)
        if stop:
            break
    return FitResult(ran, train_loss, train_acc, test_loss, test_acc)


Trainer.fit = _fit
