"""Packed documents: the count restarts, the mask hides the others, and each document is computed as if it were alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_lib.attention import causal_mask
from pe_lib.cache import attend
from pe_lib.packing import packed_mask, packed_positions

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def test_the_count_goes_on_over_a_cut_and_restarts_at_a_document():
    """Origin: case PK02: a document of 15 tokens and one of 4; the chunk from token 8 on."""
    positions = packed_positions(np.repeat([0, 1], [15, 4]))
    assert positions[8:19].tolist() == [8, 9, 10, 11, 12, 13, 14, 0, 1, 2, 3]


@given(LENGTHS)
def test_positions_and_masks_are_those_of_each_document_alone(lengths):
    documents = np.repeat(np.arange(len(lengths))[::-1], lengths)
    assert packed_positions(documents).tolist() == [place for n in lengths for place in range(n)]
    mask, start = packed_mask(documents), 0
    for n in lengths:
        own = slice(start, start + n)
        assert (mask[own, own] == causal_mask(n)).all()
        assert np.isneginf(np.delete(mask[own], np.arange(start, start + n), axis=1)).all()
        start += n
    both_ways = packed_mask(documents, causal=False)
    assert (both_ways == both_ways.T).all() and (np.isfinite(both_ways).sum() == np.square(lengths).sum())


def test_rows_of_a_batch_are_packed_each_for_itself():
    documents = np.array([[0, 0, 1, 1], [5, 4, 4, 4]])
    assert packed_positions(documents).tolist() == [[0, 1, 0, 1], [0, 0, 1, 2]]
    assert packed_mask(documents).shape == (2, 4, 4)
    assert (packed_mask(documents)[1] == packed_mask(documents[1])).all()


def test_two_equal_documents_in_a_row_get_equal_outputs():
    """Origin: case PK03, interleaved pairs, base 10,000"""
    q = np.tile([[0.03, 1.36, 1.22, -0.51], [-0.3, -0.53, 0.57, -0.06], [0.75, -1.85, 1.57, -0.1]], (2, 1))
    k = np.tile([[-1.92, -0.81, -0.47, -1.19], [-1.49, 0.04, 0.9, -0.23], [-0.74, 0.38, 0.72, -0.3]], (2, 1))
    v = np.tile([[0.53, -0.74, 1.39, 0.82], [0.63, 0.4, 0.96, -1.33], [0.61, 0.6, -1.77, 0.35]], (2, 1))
    documents = [0, 0, 0, 1, 1, 1]
    output, _ = attend(q, k, v, packed_positions(documents), [1.0, 0.01], bias=packed_mask(documents))
    expected = [[0.53, -0.74, 1.39, 0.82], [0.5953032614270921, 0.004457180268850617, 1.1091959758635037, -0.5840201206824813],
                [0.6105473595074465, 0.4444926299577367, -0.7081473190342018, -0.1341609526202481]]
    np.testing.assert_allclose(output, np.tile(expected, (2, 1)), atol=1e-12)


@pytest.mark.parametrize("make", [packed_positions, packed_mask])
@pytest.mark.parametrize("documents, message", [
    ([0, 1, 0], r"^documents must have each number in one piece, got \[0, 1, 0\], shape \(3,\)$"),
    ([[0, 0], [1, 1]], None), ([0.0, 1.0], "^documents must hold integers, got dtype float64"),
    (3, r"^documents must have one number a token, shape \(\.\.\., n\), got shape \(\)$")])
def test_documents_in_pieces_and_no_integers_are_refused(make, documents, message):
    if message is None:
        make(documents)
    else:
        with pytest.raises(ValueError, match=message):
            make(documents)


def test_an_empty_row_has_no_positions():
    assert packed_positions([]).shape == (0,) and packed_mask([]).shape == (0, 0)
