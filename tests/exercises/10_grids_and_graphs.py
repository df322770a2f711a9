"""Classic wrong answers to the exercises of chapter 10: each must be turned down, with a hint of its own."""


def _numbers(line, split="r, c = np.divmod(np.arange(rows * columns), columns)"):
    return f'''
def offset_numbers(rows, columns):
    {split}
    down, across = r - r[:, None], c - c[:, None]
    return {line}
'''


def _bias(lines):
    return f'''
def graph_bias(adjacency, table):
    n = len(adjacency)
    reached, hops = np.eye(n, dtype=bool), np.where(np.eye(n, dtype=bool), 0.0, np.inf)
    for k in range(1, n):
        new = (reached @ adjacency > 0) & ~reached
        hops[new] = k
        reached = reached | new
    table, far = np.array(table), len(table) - 2
{lines}
'''


def _returns(step, power="np.linalg.matrix_power(step, t)", first=1):
    return f'''
def returns(adjacency, steps):
    degree = adjacency.sum(axis=1)
    step = {step}
    return np.stack([({power}).diagonal() for t in range({first}, steps + {first})], axis=1)
'''


CHOOSES = "adjacency / np.maximum(degree, 1)[:, None]"


def _coordinates(line):
    return f'''
def coordinates(adjacency, k):
    degree = adjacency.sum(axis=1)
    matrix = np.diag(degree) - adjacency
    return {line}
'''


WRONG = {
    "10.1": {
        "query minus key": _numbers("(-down + rows - 1) * (2 * columns - 1) - across + columns - 1"),
        "axes swapped": _numbers("(across + columns - 1) * (2 * rows - 1) + down + rows - 1"),
        "columns for the width": _numbers("(down + rows - 1) * columns + across + columns - 1"),
        "rows for the width": _numbers("(down + rows - 1) * (2 * rows - 1) + across + columns - 1"),
        "not shifted": _numbers("down * (2 * columns - 1) + across"),
        "column by column": _numbers("(down + rows - 1) * (2 * columns - 1) + across + columns - 1", "c, r = np.divmod(np.arange(rows * columns), rows)"),
        "divided by the rows": _numbers("(down + rows - 1) * (2 * columns - 1) + across + columns - 1", "r, c = np.divmod(np.arange(rows * columns), rows)"),
        "a bracket missing": _numbers("down + rows - 1 * (2 * columns - 1) + across + columns - 1"),
        "without a sign": _numbers("(abs(down) + rows - 1) * (2 * columns - 1) + abs(across) + columns - 1"),
    },
    "10.2": {
        "no path is far": _bias("    return table[np.minimum(hops, far).astype(int)]"),
        "no path is here": _bias("    return table[np.minimum(np.where(np.isinf(hops), 0, hops), far).astype(int)]"),
        "far is no path": _bias("    return table[np.minimum(hops, far + 1).astype(int)]"),
        "far too early": _bias("    return np.where(np.isinf(hops), table[-1], table[np.minimum(np.where(np.isinf(hops), 0, hops), far - 1).astype(int)])"),
        "the diagonal is 1": _bias("    hops[np.eye(n, dtype=bool)] = 1\n    return np.where(np.isinf(hops), table[-1], table[np.minimum(hops, far).astype(int)])"),
        "neighbours alone": _bias("    return np.where(np.eye(n) > 0, table[0], np.where(adjacency > 0, table[1], table[-1]))"),
        "the hops": _bias("    return np.minimum(hops, far + 1)"),
    },
    "10.3": {
        "walks counted": _returns("adjacency"),
        "from no step on": _returns(CHOOSES, first=0),
        "divided by the nodes": _returns("adjacency / len(adjacency)"),
        "powers of numbers": _returns(CHOOSES, "step ** t"),
        "added up": _returns(CHOOSES, "sum(np.linalg.matrix_power(step, s) for s in range(1, t + 1))"),
        "for the first time": '''
def returns(adjacency, steps):
    step = adjacency / np.maximum(adjacency.sum(axis=1), 1)[:, None]
    table = []
    for node in range(len(adjacency)):
        at, row = np.eye(len(adjacency))[node], []
        for _ in range(steps):
            at = at @ step
            row.append(at[node])
            at[node] = 0
        table.append(row)
    return np.array(table)
''',
        "0 divided by 0": '''
def returns(adjacency, steps):
    with np.errstate(all="ignore"):
        step = adjacency / adjacency.sum(axis=1)[:, None]
    return np.stack([np.linalg.matrix_power(step, t).diagonal() for t in range(1, steps + 1)], axis=1)
''',
    },
    "10.4": {
        "the constant kept": _coordinates("np.linalg.eigh(matrix)[1][:, :k]"),
        "normalised": _coordinates("np.linalg.eigh(matrix / np.sqrt(np.outer(degree, degree)))[1][:, 1:k + 1]"),
        "of the adjacency": _coordinates("np.linalg.eigh(adjacency.astype(float))[1][:, ::-1][:, :k]"),
        "the largest": _coordinates("np.linalg.eigh(matrix)[1][:, ::-1][:, :k]"),
        "rows": _coordinates("np.linalg.eigh(matrix)[1][1:k + 1].T"),
        "times the eigenvalue": _coordinates("np.linalg.eigh(matrix)[1][:, 1:k + 1] * np.linalg.eigvalsh(matrix)[1:k + 1]"),
        "plus": _coordinates("np.linalg.eigh(np.diag(degree) + adjacency)[1][:, 1:k + 1]"),
        "one short": _coordinates("np.linalg.eigh(matrix)[1][:, 1:k]"),
    },
}

HINTS = {
    "10.1": {
        "query minus key": "transpose it",
        "axes swapped": "The two axes have changed places",
        "columns for the width": "two offsets share a number",
        "rows for the width": "on a square window nobody would notice",
        "not shifted": "would count from the end of a table",
        "column by column": "numbered column by column",
        "divided by the rows": "divide by the number of rows",
        "a bracket missing": "A bracket is missing",
        "without a sign": "left and right get one number",
    },
    "10.2": {
        "no path is far": "count as far here",
        "no path is here": "not 0 but infinite",
        "far is no path": "Far is the last number but one",
        "far too early": "one step too early",
        "the diagonal is 1": "the diagonal gets table[0]",
        "neighbours alone": "Only neighbours are told",
        "the hops": "These are the hops themselves",
    },
    "10.3": {
        "walks counted": "These are numbers of walks",
        "from no step on": "begins with no step at all",
        "divided by the nodes": "divides by the number of nodes",
        "powers of numbers": "multiplies *matrices*",
        "added up": "add up the chances",
        "for the first time": "for the *first* time",
        "0 divided by 0": "what is the chance where no step can be taken",
    },
    "10.4": {
        "the constant kept": "first column is constant",
        "normalised": "in which a node counts by its degree",
        "of the adjacency": "of the adjacency itself",
        "the largest": "change at every edge",
        "rows": "Rows and columns are exchanged",
        "times the eigenvalue": "multiplied by its eigenvalue",
        "plus": "need a minus",
        "one short": "expected (7, 2)",
    },
}
