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
    hypers |= {"batch_size": 128, "seq_len": 128, "h_dim": 256, "n_layers": 2, "dropout": 0.3}
    hypers |= {"learn_rate": 1e-3, "lr_sched_factor": 0.5, "lr_sched_patience": 2}
    return hypers


def part1_generation_params() -> tuple[str, float]:
    """The beginning of the text that part 1 generates, and the temperature."""
    start_seq = ""
    temperature = 0.0001
    # Choose a beginning that occurs in the plays, and a temperature that is neither dull nor wild.
    start_seq = "ACT I."
    temperature = 0.5
    return start_seq, temperature


part1_q1 = r"""
**Your answer:**

Write your answer here.
"""
part1_q1 = r"""
Backpropagation through time keeps the activations of every step until the gradient has come back to it. Over a
corpus of millions of characters that is neither affordable in memory nor useful: one update would need a pass over
everything, the gradient of the first characters would have vanished or exploded on its way, and nothing could be
done in parallel. Cut into sequences, the corpus gives many updates a pass, of bounded cost and depth, on a batch of
sequences at once.
"""

part1_q2 = r"""
**Your answer:**

Write your answer here.
"""
part1_q2 = r"""
The hidden state is not thrown away at the end of a sequence: the next batch goes on with it. So the state at the
end of one sequence is a summary of everything read since the epoch began. Only gradients stop at the border, where
the state is detached. What the model writes can therefore depend on characters further back than the length of a
sequence.
"""

part1_q3 = r"""
**Your answer:**

Write your answer here.
"""
part1_q3 = r"""
Because sample $k$ of a batch continues sample $k$ of the batch before it, the state that is carried over belongs to
the text just before. Shuffled, each sequence would be begun with the state of an unrelated place: the carried
memory would be noise, and nothing longer than a sequence could be learned.
"""

part1_q4 = r"""
**Your answer:**

Write your answer here.
"""
part1_q4 = r"""
1. While training, the temperature is 1, since the loss compares the model's own probabilities with the text. For
   writing it is lowered, because a model is less sure than the text is: probabilities are spread over many
   characters, and now and then one of the many unlikely ones would be drawn and would lead the text astray.
2. At a very high temperature all scores shrink towards zero: every character becomes equally likely, and the text
   is noise.
3. At a very low one the largest score gets everything: the most likely character is always taken, and the text
   falls into loops of frequent words.
"""

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
    hypers |= {"batch_size": 32, "h_dim": 256, "z_dim": 64, "x_sigma2": 1e-3}
    hypers |= {"learn_rate": 3e-4, "betas": (0.9, 0.999)}
    return hypers


part2_q1 = r"""
**Your answer:**

Write your answer here.
"""
part2_q1 = r"""
$\sigma^2$ is the variance of the images around what the decoder gives, and weighs the data term against the
divergence. A low value makes every error of reconstruction expensive: images come back sharply, while the latent
distribution may stray far from the prior, so that samples of the prior look worse. A high value lets the divergence
rule: the posterior stays close to the prior, and reconstructions and samples turn smooth and alike.
"""

part2_q2 = r"""
**Your answer:**

Write your answer here.
"""
part2_q2 = r"""
1. The data term asks that an image comes back from the $z$ drawn for it. The divergence asks that the distribution
   of that $z$ is close to $\mathcal{N}(0, I)$.
2. It draws all means towards zero and all variances towards one, so that the distributions of different images
   overlap and leave no holes between them.
3. So a point drawn from the prior lies where the decoder has been trained, and points near each other decode to
   images that are alike: the space can be sampled from and moved through.
"""

part2_q3 = r"""
**Your answer:**

Write your answer here.
"""
part2_q3 = r"""
The evidence $p(X)$ says how likely the data are under the model. A model that generates such images gives them a
high probability, so raising it is what we want. It is an integral over all $z$ and cannot be had exactly, which is
why a lower bound of its logarithm is maximised in its place.
"""

part2_q4 = r"""
**Your answer:**

Write your answer here.
"""
part2_q4 = r"""
A variance is positive, and the last affine layer gives any number. Read as a logarithm, every output is allowed,
and $\sigma^2 = \exp(\cdot)$ is positive without a constraint. Small variances, which differ by orders of magnitude,
spread over an ordinary range, so that training is stable; and $\log \det \Sigma$ in the loss is a plain sum.
"""

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
    hypers |= {
        "embed_dim": 128,
        "num_heads": 4,
        "num_layers": 2,
        "hidden_dim": 128,
        "window_size": 32,
        "droupout": 0.1,
        "lr": 3e-4,
    }
    return hypers


part3_q1 = r"""
**Your answer:**

Write your answer here.
"""
part3_q1 = r"""
After one layer a position knows of those within $w/2$. In the next it attends to positions that have each seen
their own neighbours, so it learns of what lies within $2 \cdot w/2$, and after $n$ layers within $n w / 2$ on
either side. As with stacked convolutions, the receptive field grows with depth while the cost of each layer stays
linear.
"""

part3_q2 = r"""
**Your answer:**

Write your answer here.
"""
part3_q2 = r"""
A dilated window: position $i$ attends to $i + d m$ for $|m| \le w/2$, with a step $d$ that differs from head to
head or from layer to layer. Each position still has $w + 1$ keys, so the cost is $O(S w)$, but they span $d$ times
as far. Near detail is lost in a head with a large $d$, which is why some heads keep $d = 1$.
"""

# ======================================================================================================================
# Part 4

part4_q1 = r"""
**Your answer:**

Write your answer here.
"""
part4_q1 = r"""
Both fine-tuned models do better than the one trained from scratch, with far fewer steps. They begin with
representations learned from a large corpus, and only the last step towards the classes is new, while the encoder of
part 3 had to learn words and their relations from the reviews alone. That need not hold for every task: where texts
are very unlike those of the pretraining, or where there is much data, a model trained for the task can do as well.
"""

part4_q2 = r"""
**Your answer:**

Write your answer here.
"""
part4_q2 = r"""
Training the inner layers and freezing the last ones is likely to do worse. The head is new and random; frozen, it
reads the features through an arbitrary map, and the inner layers would have to bend general representations until
that map happens to separate the classes. The gradient reaches them through many layers, and what they knew from the
pretraining is lost on the way.
"""
