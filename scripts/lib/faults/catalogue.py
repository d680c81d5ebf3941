"""All scenarios, in the order in which they run."""

from . import crashes  # noqa: F401
