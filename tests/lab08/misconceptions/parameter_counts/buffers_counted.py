"""The running statistics of batch norm are no parameters."""

FAILS = ("test_parts_of_the_cnn", "test_part_of_a_module[deep]")


def parameter_counts(module):
    counts = {name: sum(t.numel() for t in part.state_dict().values()) for name, part in module.named_children()}
    counts["total"] = sum(t.numel() for t in module.state_dict().values())
    return counts
