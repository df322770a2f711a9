"""Chapter 8: the heads of a published model, and the factors by which it stretches its frequencies."""

import numpy as np

from pe_lib.frequencies import inverse_frequencies

DIM, BASE, L = 96, 10_000.0, 4096       # the heads of Phi-3 mini, whose list of factors is below
INV_FREQ = inverse_frequencies(DIM, BASE)

# "long_factor" in the published configuration of Phi-3-mini-128k-instruct, one factor a pair, for 32 times the length.
PHI3_LONG = np.array([
    1.03, 1.05, 1.05, 1.08, 1.23, 1.23, 1.30, 1.45, 1.60, 1.65, 1.90, 2.86, 3.69, 5.42, 5.49, 5.49,
    9.09, 11.58, 15.66, 15.77, 15.79, 18.36, 21.99, 23.08, 30.01, 32.35, 32.59, 35.56, 39.95, 53.84, 56.20, 57.95,
    59.29, 59.77, 59.92, 61.19, 61.96, 62.50, 63.37, 63.48, 63.48, 63.66, 63.85, 64.08, 64.76, 64.80, 64.81, 64.81])
