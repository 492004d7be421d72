"""The run is a context, its config filled in later."""


def memorise(model, batch, steps=300, lr=1e-3):
    images, dec_in, tgt = batch
    with wandb.init(project="cv-lab8", name="One-batch ritual") as run:
        run.config.update({"lr": lr, "steps": steps, "batch_size": images.size(0), "optimiser": "Adam"})
        run.config["reader"] = "attention"
        run.config["params"] = sum(p.numel() for p in model.parameters())
        model.train()
        adam, history = torch.optim.Adam(model.parameters(), lr), []
        for t in range(steps):
            adam.zero_grad(set_to_none=False)
            loss = masked_loss(model(images, dec_in), tgt)
            loss.backward()
            adam.step()
            history += [float(loss)]
            wandb.log({"train/loss": history[-1], "step": t + 1}, step=t + 1)
            if t == 0 or (t + 1) % 50 == 0:
                print("step", t + 1, "loss", round(history[-1], 3))
    return history
