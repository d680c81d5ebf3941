"""All scenarios, in the order in which they run."""

from . import crashes, restarts, network, trouble, failover, providers, loads, operating, clocks  # noqa: F401
