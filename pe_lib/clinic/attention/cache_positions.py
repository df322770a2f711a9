"""Where queries and keys of a cached sequence are turned, if not where they should be: restarts, repeats, counts of their own."""

import numpy as np

from pe_lib.clinic.notes import number

FOLLOW = "Turn new queries and keys once, by the positions given for them, and keep the cached keys as they were turned."


def drift(apart, blur, positions, plan):
    """(key, sentence, remedy) where queries or keys of a chunking are turned by other positions than those given."""
    right = positions - positions[:, None]
    wrong = np.isfinite(apart) & ((np.abs(apart - right) > 1e-3) | (blur > 2e-3))
    if not wrong.any():
        return None
    if (blur[wrong] > 2e-3).all():
        return _other_frequencies(wrong)
    start = np.repeat(np.cumsum([0, *plan[:-1]]), plan)
    return (_queries_moved(apart, positions, start) or _keys_moved(apart, positions, start)
            or _both_moved(apart, positions, start) or _somewhere(apart, right, wrong))


def _other_frequencies(wrong):
    i, j = np.argwhere(wrong)[0]
    words = f"Query {i} and cached key {j} are turned by different frequencies: no distance between them explains all pairs."
    return ("frequencies changed", words, "When the frequencies change, turn the cached keys again "
                                          "(pe_lib.cache.change_frequencies).")


def _queries_moved(apart, positions, start):
    """Only the queries are elsewhere: each row of distances is off by one number, and keys of the same chunk say so too."""
    rows = np.flatnonzero(start > 0)
    off = [_steady(apart[i] - (positions - positions[i])) for i in rows]
    if None in off:
        return None
    used = positions[rows] - np.array(off)
    return ("query position", f"{_where(used, positions, rows, start, 'The new query')}, while its key is where it "
                              "belongs.", FOLLOW)


def _keys_moved(apart, positions, start):
    """Only the keys are elsewhere, as seen by later chunks."""
    n = len(positions)
    later = [(i, j) for i in range(n) for j in range(n) if start[i] > start[j] and np.isfinite(apart[i, j])]
    used = {(i, j): apart[i, j] + positions[i] for i, j in later}
    own = [abs(apart[i, i]) < 1e-3 for i in range(n) if np.isfinite(apart[i, i])]
    if not used:
        return None
    if all(abs(p - 2 * positions[j]) < 1e-3 for (i, j), p in used.items()):
        new = "" if all(own) else ", the new one too"
        return ("keys turned twice", f"Cached keys are turned twice: the key of position {positions[1]} counts as "
                                     f"{2 * positions[1]}{new}.", FOLLOW)
    if all(abs(p) < 1e-3 for p in used.values()):
        return "keys not turned", "Cached keys are not turned: all of them count as position 0.", FOLLOW
    times = {key: p / positions[key[1]] for key, p in used.items() if positions[key[1]]}
    whole = all(abs(t - round(t)) < 1e-3 and t >= 1 for t in times.values())
    if all(own) and whole and len({round(t) for t in times.values()}) > 1:
        last = max(times)
        words = (f"Cached keys are turned again at every call: seen from row {last[0]} the key of position "
                 f"{positions[last[1]]} counts as ")
        return "keys turned again", words + f"{number(used[last])}.", FOLLOW
    return None


def _both_moved(apart, positions, start):
    """A chunk's queries and keys share wrong positions: right among themselves, wrong against the cache."""
    n = len(positions)
    used = -apart[:, 0]  # the first key is where the count begins
    if not np.isfinite(used[1:]).all():
        return None
    used[0] = 0
    model = used - used[:, None]
    if not np.allclose(np.where(np.isfinite(apart), apart - model, 0), 0, atol=1e-3):
        rows = np.flatnonzero(start > 0)
        keys = np.array([apart[n - 1, j] + used[n - 1] for j in range(n)])
        if np.allclose(np.where(np.isfinite(apart), apart - (keys - used[:, None]), 0)[1:], 0, atol=1e-3):
            words = _where(used[rows], positions, rows, start, "The new query")
            more = _where(keys[rows[:-1]], positions, rows[:-1], start, "the new key")
            return "query and key positions", f"{words}; {more}.", FOLLOW
        return None
    rows = np.flatnonzero(start > 0)
    words = _where(used[rows], positions, rows, start, "A new token")
    inside = np.arange(n) - start
    key = "restart" if np.allclose(used[rows], inside[rows], atol=1e-3) else "positions in the cache"
    return key, words + ", query and key alike.", FOLLOW


def _where(used, positions, rows, start, who):
    """Where rows were found, in words: the last of them as the example."""
    inside, off = np.arange(len(positions)) - start, np.flatnonzero(np.abs(used - positions[rows]) > 1e-3)
    at = off[-1] if off.size else -1
    i = rows[at]
    given = f"{who} of position {positions[i]} is turned as position {number(used[at])}"
    if np.allclose(used, 0, atol=1e-3):
        return f"{who} is always turned as position 0 ({positions[i]} was given)"
    if np.allclose(used, inside[rows], atol=1e-3):
        return given + ": each chunk counts from 0 again"
    if np.allclose(used, positions[rows] + (used - positions[rows])[0], atol=1e-3):
        by = (used - positions[rows])[0]
        return given + f": {number(abs(by))} too {'far' if by > 0 else 'near'}"
    if np.allclose(used, rows, atol=1e-3):
        return given + ": its row in the cache, not the position that is given (with padding the two differ)"
    if np.allclose(used, used[0], atol=1e-3):
        return given + ", as at every call: that is no count, but perhaps the cache's capacity"
    return given


def _somewhere(apart, right, wrong):
    i, j = np.argwhere(wrong)[0]
    words = f"The query in row {i} and the key in row {j} are turned {number(apart[i, j])} positions apart; by the positions given, key minus query is {right[i, j]}."
    return "positions in the cache", words, FOLLOW


def _steady(row):
    row = row[np.isfinite(row)]
    return row[0] if row.size and np.ptp(row) < 1e-3 else None
