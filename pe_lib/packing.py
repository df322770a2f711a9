"""Several documents in one row: where each of them counts from 0, and what each may see."""

import numpy as np

from pe_lib._validate import integer_array


def packed_positions(documents):
    """The count restarts where a document begins, and goes on wherever a chunk of the row is cut.

    documents (..., n), integers: the number of each token's document, equal numbers side by side -> (..., n), positions, from 0.
    position[i] = i - the first place of i's document

    Positions of a chunk are a piece of this: packed_positions(documents)[chunk]. For a rotation a count that runs on through the row
    would do as well, since each document is shifted as a whole; for vectors that are added it would not.
    Raises: ValueError if documents holds no integers, has no axis, or a document appears in two places.
    Source: Raffel et al. 2020 (T5), section 3.1.3 (packing); the restart, as in transformers' `position_ids` for packed sequences.

    >>> packed_positions([7, 7, 7, 4, 4])
    array([0, 1, 2, 0, 1])
    """
    documents = _in_one_piece(documents)
    place = np.arange(documents.shape[-1])
    return place - np.maximum.accumulate(np.where(_begins(documents), place, 0), axis=-1)


def packed_mask(documents, causal=True):
    """A token may look at tokens of its own document, and in a decoder at none that comes later; the others are hidden.

    documents (..., n), integers; causal, whether later tokens are hidden as well -> (..., n, n), 0 or -inf, added to the scores.
    mask[i, j] = 0 if documents[i] = documents[j] (and j <= i) else -inf

    Raises: ValueError as `packed_positions`.
    Source: Krell et al. 2021, "Efficient Sequence Packing without Cross-contamination", section 3.2.

    >>> packed_mask([7, 7, 4])
    array([[  0., -inf, -inf],
           [  0.,   0., -inf],
           [-inf, -inf,   0.]])
    """
    documents = _in_one_piece(documents)
    allowed = documents[..., :, None] == documents[..., None, :]
    place = np.arange(documents.shape[-1])
    return np.where(allowed & (not causal or place <= place[:, None]), 0.0, -np.inf)


def _begins(documents):
    first = np.ones_like(documents[..., :1], dtype=bool)
    return np.concatenate([first, documents[..., 1:] != documents[..., :-1]], axis=-1)


def _in_one_piece(documents):
    documents = integer_array(documents, "documents")
    if documents.ndim == 0:
        raise ValueError(f"documents must have one number a token, shape (..., n), got shape {documents.shape}")
    rows = documents.reshape(-1, documents.shape[-1]) if documents.size else []
    for row, begins in zip(rows, map(_begins, rows)):
        if begins.sum() > len(set(row.tolist())):
            raise ValueError(f"documents must have each number in one piece, got {row.tolist()}, shape {documents.shape}")
    return documents
