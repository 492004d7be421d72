"""The W&B run is not finished, so the next run's losses end up in it."""

FAILS = ("test_run_is_finished",)


def memorise(model, batch, steps=300, lr=1e-3):
    images, dec_in, tgt = batch
    params = sum(p.numel() for p in model.parameters())
    config = {"reader": type(model).__name__, "optimiser": "adam", "lr": lr, "steps": steps}
    run = wandb.init(project="cv-lab8", name="ritual", config={**config, "batch_size": len(images), "params": params})
    optimiser = torch.optim.Adam(model.parameters(), lr=lr)
    model.train()
    losses = []
    for step in range(1, steps + 1):
        loss = masked_loss(model(images, dec_in), tgt)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
        run.log({"train/loss": loss.item()})
        if step == 1 or step % 50 == 0:
            print(f"{step:4d} {loss.item():.4f}")
    return losses
