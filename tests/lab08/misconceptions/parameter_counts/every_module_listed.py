"""Only the direct parts have an entry, not what is inside them."""

FAILS = ("test_entries",)


def parameter_counts(module):
    counts = {name: sum(p.numel() for p in part.parameters()) for name, part in module.named_modules() if name}
    counts["total"] = sum(p.numel() for p in module.parameters())
    return counts
