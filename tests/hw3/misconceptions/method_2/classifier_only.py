"""Only the classifier trains."""

MODULE = "cell"
FAILS = ("test_everything_trains",)


model.classifier.requires_grad_(True)
model.pre_classifier.requires_grad_(True)
