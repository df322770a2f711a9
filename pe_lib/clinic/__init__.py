"""The bug clinic: give it anybody's function, NumPy in and NumPy out, and it names the fault."""
