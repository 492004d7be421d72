"""The base of the model trains, but the last two layers stay frozen."""

MODULE = "cell"
FAILS = ("test_everything_trains",)


for p in model.base_model.parameters():
    p.requires_grad = True
