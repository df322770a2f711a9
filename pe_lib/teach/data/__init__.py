"""The words, matrices and numbers that the chapters work with; NumPy and the maths alone."""
