"""The wall between student code and hidden tests, and what goes through it.

Untrusted side: zygote, worker, stand_ins. Both sides: wire, messages. Trusted side: jail, supervisor, session, faults,
remote.
"""

__all__: list[str] = []
