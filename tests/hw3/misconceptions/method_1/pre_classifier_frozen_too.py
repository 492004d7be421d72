"""pre_classifier is frozen too."""

MODULE = "cell"
FAILS = ("test_the_last_two_layers_train",)


for p in model.parameters():
    p.requires_grad = False
for p in model.classifier.parameters():
    p.requires_grad = True
