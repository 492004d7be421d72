"""Your hyperparameters and your written answers.

Write the answers as Markdown in raw strings; formulas stand between dollar signs. The notebooks show them.
"""

# ======================================================================================================================
# Part 1


def part1_rnn_hyperparams() -> dict[str, float]:
    """Hyperparameters of the character model of part 1."""
    hypers = {
        "batch_size": 0,
        "seq_len": 0,
        "h_dim": 0,
        "n_layers": 0,
        "dropout": 0,
        "learn_rate": 0.0,
        "lr_sched_factor": 0.0,
        "lr_sched_patience": 0,
    }
    # Choose values with which the model trains well.
    # YOUR CODE HERE
    raise NotImplementedError()
    return hypers


def part1_generation_params() -> tuple[str, float]:
    """The beginning of the text that part 1 generates, and the temperature."""
    start_seq = ""
    temperature = 0.0001
    # Choose a beginning that occurs in the plays, and a temperature that is neither dull nor wild.
    # YOUR CODE HERE
    raise NotImplementedError()
    return start_seq, temperature


part1_q1 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part1_q2 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part1_q3 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part1_q4 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

# ======================================================================================================================
# Part 2


def part2_vae_hyperparams() -> dict[str, object]:
    """Hyperparameters of the autoencoder of part 2."""
    hypers = {
        "batch_size": 0,
        "h_dim": 0,
        "z_dim": 0,
        "x_sigma2": 0.0,
        "learn_rate": 0.0,
        "betas": (0.0, 0.0),
    }
    # Choose values with which the model makes images that look like the data.
    # YOUR CODE HERE
    raise NotImplementedError()
    return hypers


part2_q1 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part2_q2 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part2_q3 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part2_q4 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

# ======================================================================================================================
# Part 3


def part3_transformer_encoder_hyperparams() -> dict[str, float]:
    """Hyperparameters of the encoder of part 3."""
    hypers = {
        "embed_dim": 0,
        "num_heads": 0,
        "num_layers": 0,
        "hidden_dim": 0,
        "window_size": 0,
        "droupout": 0.0,
        "lr": 0.0,
    }
    # Choose values with which the small set is learned to 95 per cent.
    # YOUR CODE HERE
    raise NotImplementedError()
    return hypers


part3_q1 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part3_q2 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

# ======================================================================================================================
# Part 4

part4_q1 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE

part4_q2 = r"""
**Your answer:**

Write your answer here.
"""
# YOUR CODE HERE
