"""By the base model."""

MODULE = "cell"


model.base_model.requires_grad_(False)
