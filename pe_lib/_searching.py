"""How `pe_lib.graphs` searches from all nodes at once: breadth-first, with a queue for each, 64 nodes in one number."""

import numpy as np


def hop_counts(adjacency):
    """Hops from each node to each other, (n, n), float64, inf without a path; adjacency has been checked.

    One search for each source, all side by side: step t looks at the t-th node in every queue. It notes the neighbours
    not seen before, one hop further, and puts them at the end of the queue. The sets of nodes are rows of bits.
    """
    n = len(adjacency)
    neighbours, unseen = _bits(adjacency > 0), _bits(~np.eye(n, dtype=bool))
    hops = np.where(np.eye(n, dtype=bool), 0.0, np.inf)
    queue, length, sources = np.zeros((n, n), np.int64), np.ones(n, np.int64), np.arange(n)
    queue[:, 0] = sources
    for step in range(n):
        sources = sources[(length[sources] > step) & (length[sources] < n)]
        here = queue[sources, step]
        new = neighbours[here] & unseen[sources]
        unseen[sources] ^= new
        search, node = _set_bits(new)
        source, found = sources[search], np.bincount(search, minlength=sources.size)
        hops[source, node] = hops[source, here[search]] + 1
        place = np.arange(node.size) - np.repeat(np.cumsum(found) - found, found)  # 0, 1, ... within each search
        queue[source, length[source] + place] = node
        length[sources] += found
    return hops


def first_steps(hops):
    """(n, n): the lowest-numbered neighbour of i that is one hop nearer to j; i itself at j and where there is no path."""
    steps = np.empty(hops.shape, int)
    for node, own in enumerate(hops):
        near = np.flatnonzero(own == 1)
        closer = np.isfinite(own) & (hops[near] == own - 1)
        steps[node] = np.append(near, node)[np.append(closer, np.ones((1, own.size), bool), axis=0).argmax(axis=0)]
    return steps


def _bits(table):
    """(n, m) booleans -> (n, words) numbers of 64 bits."""
    bits = np.packbits(np.pad(table, ((0, 0), (0, -table.shape[1] % 64))), axis=1, bitorder="little")
    return np.ascontiguousarray(bits).view(np.uint64)                # a table that was reordered may lie column by column


def _set_bits(rows):
    """Row and column of every bit that is set, in order; only the words that are not 0 are unpacked."""
    word = np.flatnonzero(rows)
    bytes_of = rows.ravel()[word].view(np.uint8).reshape(-1, 8)
    which, bit = np.nonzero(np.unpackbits(bytes_of, axis=1, bitorder="little"))
    return word[which] // rows.shape[1], word[which] % rows.shape[1] * 64 + bit
