"""By the names of parameters."""

MODULE = "cell"


for name, param in model.named_parameters():
    if not name.startswith(("pre_classifier", "classifier")):
        param.requires_grad = False
