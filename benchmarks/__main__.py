"""Run every benchmark; each writes its raw numbers to ``benchmarks/results/`` and prints its ratios."""

from benchmarks import lab08

if __name__ == "__main__":
    lab08.main()
