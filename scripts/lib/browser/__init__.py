"""Tests of the worker's page in a real browser."""
