"""Only the transformer is frozen, and not the embeddings."""

MODULE = "cell"
FAILS = ("test_everything_else_is_frozen",)


for p in model.distilbert.transformer.parameters():
    p.requires_grad = False
