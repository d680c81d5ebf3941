"""All scenarios, in the order in which they run."""

from . import crashes, splits, restarts, network, namespaces, trouble, failover  # noqa: F401
from . import providers, storm, credentials, loads, operating, clocks, leaks  # noqa: F401
