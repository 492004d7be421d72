"""Run every benchmark; each writes its raw numbers to ``benchmarks/results/`` and prints its ratios."""

from benchmarks import hw3_attention, hw3_gru, lab08

if __name__ == "__main__":
    for benchmark in (lab08, hw3_gru, hw3_attention):
        benchmark.main()
