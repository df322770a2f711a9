"""The bug clinic: give it anybody's function, NumPy in and NumPy out, and it names the fault."""

from pe_lib.clinic.attention import diagnose_attention
from pe_lib.clinic.bias import diagnose_bias
from pe_lib.clinic.rope import diagnose

__all__ = ["diagnose", "diagnose_attention", "diagnose_bias"]
