"""Faults, and a ledger that says what they cost: real workers, real Redis servers, the simulator.

`python3 -m faults` runs the scenarios; `scripts/test-faults` builds what they need first.
"""
