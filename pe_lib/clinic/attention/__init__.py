"""Anybody's attention with rotary positions, with or without a cache: `diagnosis.diagnose_attention` is the way in."""
