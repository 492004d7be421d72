"""The flag is set on modules, where it does nothing, instead of on their parameters."""

MODULE = "cell"
FAILS = ("test_everything_trains",)


for module in model.modules():
    module.requires_grad = True
