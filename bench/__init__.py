"""Measurements of the desk: see docs/benchmarks.md for what they say and how to repeat them."""
