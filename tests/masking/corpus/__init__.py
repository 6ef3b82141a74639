"""The corpus by which masking is judged: secrets that must go, look-alikes that must stay.

Nothing in it is a value: every sample is made anew from a seed, so that rules fit kinds and not
samples. It has two halves, split by vendor. Rules are written with the known half in view; the
held-out half says how they do on vendors nobody wrote a rule for.
"""
