"""What is asked of the function before anything else: the same answer twice, linear in x, and each row for itself."""

import numpy as np

from pe_lib.clinic.notes import number, small
from pe_lib.clinic.rotary.measure import Broken
from pe_lib.clinic.rotary.positions import COUNT, STALE


def answers_again(probe, first, notes):
    """The same question twice, and then one of more rows: what fails here would spoil all measurements."""
    off = np.abs(probe.answer(probe.widened(first[0]), np.arange(9)) - first[1]).max()
    if off > 1e-6:
        notes.find("same answer again", False, f"asked twice the same, the answers differ by up to {number(off, 2)}")
        notes.blame("remembers earlier calls", f"The same x and positions, asked twice, gave answers that differ by up to "
                    f"{number(off, 2)}.", "make the result from the arguments alone: no counter, no stored offset, no randomness.")
        return False
    try:
        probe(np.ones(probe.dim), np.arange(COUNT))
    except Broken as broken:
        if broken.key != "raises":
            raise
        notes.find("another length", False, f"{COUNT} rows after 9 rows")
        notes.blame("stale table", f"9 rows at positions 0 to 8 went well. {broken.sentence} A table of the first call seems to "
                    "be kept.", STALE)
        return False
    return True


def read_linearity(probe, matrix, added, notes):
    """How far rounding takes the function from its matrices; None if it is further than that."""
    rng, p = np.random.default_rng(5), np.arange(COUNT)
    x, z = rng.normal(size=(2, COUNT, probe.dim))
    fx, fz, both = (probe(rows, p) for rows in (x, z, 2 * x + z))
    size = np.abs(fx).max() + np.abs(added).max() + 1e-300
    bent = np.abs(both - (2 * fx + fz - 2 * added)).max() / size
    apart = np.abs(fx - np.einsum("pij,pj->pi", matrix, x) - added).max()
    notes.find("linear in x", bool(bent < 0.02), f"2x + z against x and z: {small(bent)} off")
    if bent >= 0.02:
        lost = np.abs(probe(2 * x, p) - fx).max() < 0.02 * size
        why = " 2x gives the same as x: the length is normalised away." if lost else ""
        notes.blame("not linear", f"The result for 2x + z is not twice that for x and once that for z.{why} No rotation.",
                    "a rotation multiplies and adds features of x, and does nothing else to them.")
        return None
    if apart > 0.02 * size:
        notes.find("rows stand alone", False, "a row's result depends on other rows")
        notes.blame("rows mixed", "What comes out for a row depends on the other rows of x, not on its own features alone.",
                    "turn along the features (the last axis); look for a sum, roll or reshape that runs along the sequence.")
        return None
    _judge_added(probe, added, notes)
    return 10 * apart + 1e-9 * size


def _judge_added(probe, added, notes):
    probe.adds = bool(np.abs(added).max() > 1e-6)
    if probe.adds:
        notes.find("x = 0 stays 0", False, "something is added")
        row, feature = np.unravel_index(np.argmax(np.abs(added[:2])), added[:2].shape)
        notes.blame("something is added", f"x = 0 does not stay 0: {number(added[row, feature])} comes out at position {row}, "
                    f"feature {feature}. Rotary encoding turns x and adds nothing.", "multiply x, do not add a position vector to it.")


def read_identities(matrix, notes):
    """The three properties that make a rotation useful, straight from the matrices."""
    identity = np.abs(matrix[0] - np.eye(len(matrix[0]))).max()
    moved = max(np.abs(matrix[0].T @ matrix[k] - matrix[s].T @ matrix[s + k]).max() for k in (0, 1, 3) for s in (1, 4))
    diagonal = np.random.default_rng(6).normal(size=(4, len(matrix[0])))  # unit vectors alone may keep their lengths by luck
    grown = np.linalg.norm(matrix @ diagonal.T, axis=1) / np.linalg.norm(diagonal, axis=1)
    length = max(np.abs(lengths - 1).max() for lengths in (np.linalg.norm(matrix, axis=1), grown))
    notes.find("position 0 changes nothing", bool(identity < 1e-6), _off(identity))
    notes.find("lengths kept", bool(length < 2e-5), _off(length))
    notes.find("scores depend on the offset alone", bool(moved < 2e-5), _off(moved))


def _off(value):
    return f"{small(value)} off" if value < 1e-6 else f"up to {number(value, 3)} off"
