"""The practice check of chapter 0: key minus query."""

import numpy as np

from pe_lib.teach.checks.exercise import exercise


@exercise("0.1", praise="Key minus query: minus looks back, plus looks ahead. Every chapter keeps to it.")
def check_relative_position(attempt):
    """query, key: whole numbers, or arrays of them -> key - query."""
    attempt.matches("a word is 0 from itself", attempt(3, 3), 0, hint="Query and key are places, counted from 0.")
    ahead = attempt(3, 8)
    attempt.matches("key 8 is +5 from query 3", ahead, 5, hint="You have query − key. Here it is the other way round, always."
                    if ahead == -5 else "Subtract the query from the key.")
    attempt.matches("key 3 is −5 from query 8", attempt(8, 3), -5, hint="The sign is part of the answer: it tells back from ahead.")
    attempt.matches("it works for arrays too", attempt(np.array([0, 4]), np.array([9, 2])), [9, -2],
                    hint="A plain subtraction does; int() or abs() of a number is not needed.")
