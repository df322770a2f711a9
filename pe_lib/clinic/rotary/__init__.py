"""Anybody's rotary encoding, measured: `diagnosis.diagnose` is the way in."""
