"""Chapter 5: the vectors of the worked example."""

import numpy as np

from pe_lib.frequencies import inverse_frequencies

# The words of the lesson: the first pair alone in the small example, both pairs in the figure that locks the offset.
Q, K = np.array([2.0, 1.0, 1.0, 2.0]), np.array([3.0, 1.0, 3.0, 0.0])
FREQUENCIES = inverse_frequencies(4, base=100)            # 1 and 0.1 radian per token
CONTENTS = np.array([[2.0, 1.0], [0.0, 3.0], [-1.0, 1.0]])
