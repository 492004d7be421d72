"""Parameters are told apart by identity."""


def parameter_counts(module):
    def count(part):
        return sum({id(p): p.nelement() for p in part.parameters()}.values())

    return {"total": count(module), **{name: count(part) for name, part in module._modules.items()}}
