"""Anybody's position bias, measured: `diagnosis.diagnose_bias` is the way in."""
