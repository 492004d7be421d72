"""By the whole model."""

MODULE = "cell"


model.requires_grad_(True)
