"""The trusted side: hidden suites meet submissions, and reports come of it."""

__all__: list[str] = []
