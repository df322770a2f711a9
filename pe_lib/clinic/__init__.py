"""The bug clinic: give it anybody's function, NumPy in and NumPy out, and it names the fault.

`rotary`, `bias` and `attention` hold what is measured for each kind of function; `sheet` calls the function, `notes` collects
findings and faults, `report` prints them; `patients` are the broken functions of chapter 12.
"""

from pe_lib.clinic.attention.diagnosis import diagnose_attention
from pe_lib.clinic.bias.diagnosis import diagnose_bias
from pe_lib.clinic.rotary.diagnosis import diagnose

__all__ = ["diagnose", "diagnose_attention", "diagnose_bias"]
