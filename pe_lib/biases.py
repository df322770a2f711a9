"""Position as a bias: a number added to the score of a query and a key, whatever the two tokens are."""

import numpy as np

from pe_lib._validate import finite_array, integer_array, positive_number, whole_number


def relative_positions(n_query, n_key=None):
    """The relative position is key minus query: negative looks back, positive ahead. The queries are the last positions.

    n_query, n_key (None: as many) -> (n_query, n_key), integers, tokens.
    relative[i, j] = j - (i + n_key - n_query);  one new query on a cache of five keys stands at the fifth

    Many texts write query minus key: the same table with the opposite sign. With more queries than keys the first of them
    stand before every key, at negative positions.
    Raises: ValueError if a count is not an integer of at least 0.
    Source: Shaw et al. 2018, section 3.2 (j - i).

    >>> relative_positions(2, 3)
    array([[-1,  0,  1],
           [-2, -1,  0]])
    """
    n_query = whole_number(n_query, "n_query")
    n_key = n_query if n_key is None else whole_number(n_key, "n_key")
    return np.arange(n_key) - (np.arange(n_query)[:, None] + n_key - n_query)


def alibi_slopes(heads, exponent=8.0):
    """Each head fades with distance at a pace of its own: from a near-sighted head to a far-sighted one.

    heads; exponent, of the flattest slope of a power of two (MPT calls it alibi_bias_max) -> (heads,), score per token.
    slope[h] = 2 ** (-exponent (h + 1) / heads) for a power of two; otherwise the slopes of the largest power of two p below,
    followed by every other slope, from the first on, of 2p heads (a rule of the authors' code, not of the paper's text)

    Raises: ValueError if heads is not an integer of at least 1, or exponent not above 0.
    Source: Press et al. 2022 (ALiBi), section 3, and its code (attention_with_linear_biases, `get_slopes`).

    >>> alibi_slopes(3)
    array([0.0625    , 0.00390625, 0.25      ])
    """
    heads, exponent = whole_number(heads, "heads", least=1), positive_number(exponent, "exponent")
    power = 2 ** (heads.bit_length() - 1)
    own = 2.0 ** (-exponent * np.arange(1, power + 1) / power)
    between = 2.0 ** (-exponent * np.arange(1, 2 * power, 2) / (2 * power))
    return np.concatenate([own, between])[:heads]


def alibi_bias(n_query, n_key, slopes):
    """A key is favoured the nearer it is; a far one needs a content score that makes up for the distance.

    n_query, n_key (None: as many), slopes (...), score per token -> (..., n_query, n_key), at most 0.
    bias[h, i, j] = -slopes[h] |relative[i, j]|;  it is blind to direction, and under a causal mask equals slope * relative

    Raises: ValueError if a count is not an integer of at least 0, or a slope is negative or not finite.
    Source: Press et al. 2022 (ALiBi), section 3, for j <= i; for keys ahead a form named by its authors' code (issue 5).

    >>> alibi_bias(1, 4, 0.5)
    array([[-1.5, -1. , -0.5,  0. ]])
    """
    slopes = finite_array(slopes, "slopes")
    if (slopes < 0).any():
        raise ValueError(f"slopes must be at least 0, so that near is favoured, got {slopes.min()}, shape {slopes.shape}")
    return slopes[..., None, None] * -abs(relative_positions(n_query, n_key))


def relative_buckets(relative, buckets=32, max_distance=128, *, causal):
    """T5 sorts offsets into buckets: one each while near, ever wider further off, one for all that is beyond.

    relative (...), integers, key minus query -> (...), integers from 0 to buckets - 1.
    causal: bucket(-relative), and 0 for all keys ahead;  bucket(t) = t if t < exact, else the smaller of buckets - 1 and
    exact + floor((buckets - exact) log(t / exact) / log(max_distance / exact)), with exact = buckets // 2.
    Both ways: half the buckets for each direction, bucket(|relative|) behind and buckets // 2 + bucket(relative) ahead.

    Raises: ValueError if relative holds no integers between -2**62 and 2**62; if buckets is not at least 2, or both ways
    even and at least 4; if max_distance is not above exact and at most 2**40.
    Source: Raffel et al. 2020 (T5), section 2.1; the formula, its code (mesh_tensorflow, `_relative_position_bucket`).

    >>> relative_buckets([-100, -8, -1, 0, 1, 8, 100], causal=True)
    array([30,  8,  1,  0,  0,  0,  0])
    >>> relative_buckets([-100, -8, -1, 0, 1, 8, 100], causal=False)
    array([15,  8,  1,  0, 17, 24, 31])
    """
    relative = integer_array(relative, "relative")
    if not isinstance(causal, (bool, np.bool_)):
        raise ValueError(f"causal must be True or False, got {causal!r}")
    if causal:
        return np.searchsorted(_bucket_starts(buckets, max_distance), np.maximum(-relative, 0), side="right") - 1
    if whole_number(buckets, "buckets", least=4) % 2:
        raise ValueError(f"buckets must be even, half for keys behind and half for keys ahead, got {buckets}")
    near = np.searchsorted(_bucket_starts(buckets // 2, max_distance), abs(relative), side="right") - 1
    return near + np.where(relative > 0, buckets // 2, 0)


def bucket_bias(n_query, n_key, table, max_distance=128, *, causal):
    """T5 learns one number a bucket and adds it to every score whose offset falls in.

    n_query, n_key (None: as many), table (..., buckets), score -> (..., n_query, n_key).
    bias[h, i, j] = table[h, bucket(relative[i, j])];  T5's own checkpoints hold the table as (buckets, heads)

    Raises: ValueError as `relative_positions` and `relative_buckets`, and if table is not real and finite or does not fit.
    Source: Raffel et al. 2020 (T5), section 2.1.

    >>> bucket_bias(2, 2, [0.0, 1.0, 2.0, 3.0], causal=False)
    array([[0., 3.],
           [1., 0.]])
    """
    table = finite_array(table, "table", least_axes=1)
    if table.shape[-1] < (2 if causal else 4) or not causal and table.shape[-1] % 2:
        count = "at least 2 buckets" if causal else "an even number of buckets, at least 4,"
        raise ValueError(f"table must have {count} on its last axis, got shape {table.shape}")
    relative = relative_positions(n_query, n_key)
    return table[..., relative_buckets(relative, table.shape[-1], max_distance, causal=causal)]


def table_bias(n_query, n_key, table):
    """A table learns a number for each offset up to its reach; all that is further off shares the number at its edge.

    n_query, n_key (None: as many), table (..., 2 reach + 1), score, for offsets -reach ... reach -> (..., n_query, n_key).
    bias[h, i, j] = table[h, clip(relative[i, j], -reach, reach) + reach]

    Raises: ValueError as `relative_positions`, and if table is not real and finite or its last axis is not odd.
    Source: Shaw et al. 2018, section 3.2 (the clipping); Raffel et al. 2020 (T5), section 2.1 (a number that is added).

    >>> table_bias(3, 3, [-1.0, 0.0, 5.0])
    array([[ 0.,  5.,  5.],
           [-1.,  0.,  5.],
           [-1., -1.,  0.]])
    """
    table = finite_array(table, "table", least_axes=1)
    if table.shape[-1] % 2 == 0:
        raise ValueError(f"table must have an odd last axis, offsets -reach ... reach, got shape {table.shape}")
    reach = table.shape[-1] // 2
    return table[..., np.clip(relative_positions(n_query, n_key), -reach, reach) + reach]


def _bucket_starts(buckets, max_distance):
    """The first distance in each bucket: the formula the other way round, in integers, since a log may be a hair off."""
    buckets = whole_number(buckets, "buckets", least=2)
    exact, wide = buckets // 2, buckets - buckets // 2
    max_distance = whole_number(max_distance, "max_distance", least=exact + 1)
    if max_distance > 2**40:  # further off, a float is no longer near enough to start the search from
        raise ValueError(f"max_distance must be at most 2**40, got {max_distance}")
    starts = list(range(exact))
    for step in range(wide):
        start = max(int(exact * (max_distance / exact) ** (step / wide)) - 1, exact)
        while start**wide < max_distance**step * exact ** (wide - step):
            start += 1
        starts.append(start)
    return np.array(starts)
