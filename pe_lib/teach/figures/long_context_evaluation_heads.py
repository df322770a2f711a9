"""The figures of chapter 9, second part: what one head of a trained decoder looks at, and with which encoding it still does."""

from matplotlib.patches import Rectangle
import numpy as np

from pe_lib.attention import attention, causal_mask, softmax
from pe_lib.cache import attend
from pe_lib.frequencies import inverse_frequencies
from pe_lib.model import next_token_logits
from pe_lib.rotary import rotate
from pe_lib.schemes import Scheme
from pe_lib.teach.plots import POSITION, QUERY, attention_grid
from pe_lib.teach.touch import touch
from pe_lib.weights import D_HEAD, fixed, load

SIGNS = "abcdefghijklmnopABCDEFGH12345678?"     # one for each token: filler, keys, values, and the marker

# What is done to the frequencies of the trained model; nothing is trained again.
SWAPS = {
    "as trained": lambda: fixed("none", 1),
    "all positions divided by 4": lambda: fixed("interpolation", 4),
    "YaRN, factor 4, β = 4": lambda: fixed("YaRN, β = 4", 4),
    "base 100 in place of 10,000": lambda: Scheme(inv_freq=inverse_frequencies(D_HEAD, 100.0)),
    "not rotated at all": Scheme,
}


def tokens_of(text):
    """The token numbers of a text written in SIGNS, (n,)."""
    strange = sorted(set(text) - set(SIGNS))
    if strange or not 4 <= len(text) <= 48:
        raise ValueError(f"a text has 4 to 48 of the signs {SIGNS}; got {len(text)}, with {''.join(strange) or 'no strange one'}")
    return np.array([SIGNS.index(sign) for sign in text])


def run(name, tokens, scheme=None, positions=None):
    """The logits (n, vocabulary) of a stored decoder, and the weights of all heads, (layers, heads, n, n)."""
    decoder, seen = load(name), []

    def watched(q, k, v, positions, inv_freq, cache=None, *, bias=0.0):
        n = q.shape[-2]
        seen.append(attention(rotate(q, positions, inv_freq), rotate(k, positions, inv_freq), v, causal_mask(n) + bias)[1])
        return attend(q, k, v, positions, inv_freq, cache, bias=bias)
    positions = np.arange(len(tokens)) if positions is None else positions
    logits, _ = next_token_logits(tokens, positions, decoder.parameters, scheme=scheme or decoder.scheme, attend=watched)
    return logits, np.stack(seen)


def attention_of_a_head(text, name="rotary-0"):
    """A build function: the attention of one trained head on a text, and what the model expects after the chosen token."""
    tokens = tokens_of(text)
    found = {swap: run(name, tokens, scheme()) for swap, scheme in SWAPS.items()}

    def what_a_head_looks_at(fig):
        """Left, a map of the attention weights of one head on a short text, a row for each token that looks, a column for each it looks at, with the
        chosen row framed. Right, the five tokens that the model expects most after the chosen one, with their probabilities."""
        grid = fig.add_gridspec(1, 2, width_ratios=[2.2, 1])
        ax, expected = fig.add_subplot(grid[0, 0]), fig.add_subplot(grid[0, 1])
        n = len(tokens)
        image = attention_grid(ax, np.zeros((n, n)), list(text), aspect="auto", animated=True)
        ax.tick_params(labelsize=8 if n <= 34 else 6, length=0)
        frame = ax.add_patch(Rectangle((-0.5, -0.5), n, 1, fill=False, ec=QUERY, lw=2, zorder=5, animated=True))
        touch(ax, y="row")
        bars = expected.barh(range(5), np.zeros(5), color=POSITION, animated=True)
        expected.set(xlim=(0, 1), ylim=(4.6, -0.6), yticks=[], xlabel="probability of the next token")
        names = [expected.text(-0.04, place, "", ha="right", va="center", animated=True) for place in range(5)]

        def update(row, head, encoding):
            logits, weights = found[encoding]
            layer, which = divmod(head, 4)
            image.set_data(weights[layer, which])
            frame.set_y(row - 0.5)
            chances = softmax(logits[row].astype(float))
            best = np.argsort(-chances)[:5]
            for bar, word, token in zip(bars, names, best):
                bar.set_width(chances[token])
                word.set_text(SIGNS[token])
            most = int(weights[layer, which, row].argmax())
            return (f"Layer {layer}, head {which}, {encoding}: token {row}, {text[row]}, gives most weight, {weights[layer, which, row, most]:.2f}, to "
                    f"{text[most]}, {row - most} back. After it the model expects {SIGNS[best[0]]}, with probability {chances[best[0]]:.2f}.")
        return update
    return what_a_head_looks_at
