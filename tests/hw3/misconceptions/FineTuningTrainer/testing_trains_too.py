"""Testing is a copy of training, and so the model learns from the test data."""

MODULE = "training"
FAILS = ("test_testing_changes_nothing",)


FineTuningTrainer.test_batch = FineTuningTrainer.train_batch
