"""The last layers are frozen and everything else trains."""

MODULE = "cell"
FAILS = (
    "test_the_last_two_layers_train",
    "test_everything_else_is_frozen",
)


for name, p in model.named_parameters():
    p.requires_grad = "classifier" not in name
