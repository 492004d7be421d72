"""By the names of parameters."""

MODULE = "cell"


for _, p in model.named_parameters():
    p.requires_grad_(True)
