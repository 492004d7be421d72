"""A helper, names that the notebook has imported, and a line for the notebook."""

MODULE = "cell"

LAST = ("pre_classifier", "classifier")


def train_only(parts):
    for name, part in model.named_children():
        part.requires_grad_(name in parts)


get_ipython().run_line_magic("matplotlib", "inline")
train_only(LAST)
optimizer = optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-4)
print(np.sum([p.numel() for p in model.parameters() if p.requires_grad]), os.getcwd())
