"""The model is put into train mode, but its parameters stay frozen."""

MODULE = "cell"
FAILS = ("test_everything_trains",)


model.train()
