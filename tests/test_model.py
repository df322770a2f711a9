"""The small Transformer: cached logits are full logits, and what cannot be mended after the fact is seen."""

import re

import numpy as np
import pytest

from pe_lib.cache import attend, evict, shift
from pe_lib.frequencies import inverse_frequencies
from pe_lib.model import next_token_logits, random_parameters
from pe_lib.schemes import Scheme, alibi, learned, rotary, sinusoidal, t5

TOKENS = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def parameters(seed=0, **counts):
    return random_parameters(np.random.default_rng(seed), **counts)


def decode(chunks, weights, positions=None, **options):
    logits, caches, start = [], None, 0
    positions = np.arange(8) if positions is None else positions
    for size in chunks:
        rows = slice(start, start + size)
        part, caches = next_token_logits(TOKENS[rows], positions[rows], weights, caches, **options)
        logits.append(part)
        start += size
    return np.concatenate(logits), caches


@pytest.mark.parametrize("chunks", [(1,) * 8, (5, 1, 1, 1), (4, 4), (3, 3, 2), (1, 7)])
@pytest.mark.parametrize("counts", [{}, {"layers": 1, "heads": 1, "dim": 2}, {"layers": 3, "heads": 4, "dim": 32, "vocabulary": 17}])
def test_cached_vocabulary_logits_equal_the_full_pass(chunks, counts):
    """claim 7.5: every prefix, every step, several chunkings"""
    full, _ = decode((8,), parameters(**counts))
    assert full.shape == (8, counts.get("vocabulary", 11))
    np.testing.assert_allclose(decode(chunks, parameters(**counts))[0], full, atol=1e-10)
    for n in range(1, 8):  # the logits of a prefix are those of the whole text: nobody looks ahead
        prefix, _ = next_token_logits(TOKENS[:n], np.arange(n), parameters(**counts))
        np.testing.assert_allclose(prefix, full[:n], atol=1e-10)


def test_no_new_tokens_give_no_logits_and_leave_the_caches():
    _, caches = decode((3,), parameters())
    for before in (None, caches):
        logits, after = next_token_logits([], [], parameters(), before)
        assert logits.shape == (0, 11)
        assert [len(cache.positions) for cache in after] == [3 if before else 0] * 2


def test_a_wrong_position_of_one_step_moves_its_logits_and_no_shape():
    """claims 7.3 and 7.5"""
    full, _ = decode((8,), parameters())
    off, _ = decode((7, 1), parameters(), positions=np.array([0, 1, 2, 3, 4, 5, 6, 8]))
    assert off.shape == full.shape
    np.testing.assert_allclose(off[:7], full[:7], atol=1e-10)
    assert abs(off[7] - full[7]).max() > 0.01


def test_a_common_shift_moves_no_logit():
    """claim 7.4"""
    np.testing.assert_allclose(decode((3, 5), parameters(), np.arange(8) + 100)[0], decode((8,), parameters())[0], atol=1e-10)


def test_only_the_first_layers_keys_can_be_moved_after_a_token_is_dropped():
    """Origin: case RR05: deeper keys were computed while the dropped token could be seen"""
    inv_freq = inverse_frequencies(8)
    _, caches = decode((8,), parameters())
    _, recomputed = next_token_logits(TOKENS[1:], np.arange(7), parameters())
    moved = [shift(evict(cache, range(1, 8)), -1, inv_freq) for cache in caches]
    np.testing.assert_allclose(moved[0].keys, recomputed[0].keys, atol=1e-10)
    assert abs(moved[1].keys - recomputed[1].keys).max() > 0.01
    assert abs(moved[1].values - recomputed[1].values).max() > 0.01


def test_another_attend_can_be_compared_with_the_librarys():
    """claim 7.5"""
    full, _ = decode((8,), parameters())

    def restarted(q, k, v, positions, inv_freq, cache=None):
        return attend(q, k, v, positions - positions[0], inv_freq, cache)
    again, _ = decode((5, 3), parameters(), attend=attend)
    wrong, _ = decode((5, 3), parameters(), attend=restarted)
    np.testing.assert_array_equal(again, decode((5, 3), parameters())[0])
    np.testing.assert_allclose(wrong[:5], full[:5], atol=1e-10)
    assert (abs(wrong[5:] - full[5:]).max(axis=1) > 0.01).all()


def test_every_argument_matters():
    full, _ = decode((8,), parameters())
    for other in (parameters(seed=1), {**parameters(), "heads": 4}):
        assert abs(decode((8,), other)[0] - full).max() > 0.01
    assert abs(decode((8,), parameters(), scheme=rotary(8, base=100.0))[0] - full).max() > 0.01
    assert {name: array.shape for name, array in parameters(vocabulary=5, dim=12, heads=3, layers=1).items() if name != "heads"} == {
        "embedding": (5, 12), "w_qkv": (1, 3, 12, 12), "w_out": (1, 12, 12), "w_up": (1, 12, 48), "w_down": (1, 48, 12),
        "unembedding": (12, 5)}


@pytest.mark.parametrize("call, message", [
    (lambda: next_token_logits([11], [0], parameters()), "tokens must be lists of numbers from 0 to 10, got shape (1,): [11]"),
    (lambda: next_token_logits([-1], [0], parameters()), "tokens must be lists of numbers from 0 to 10"),
    (lambda: next_token_logits(1, [0], parameters()), "tokens must be lists of numbers from 0 to 10, got shape (): 1"),
    (lambda: next_token_logits([1.5], [0], parameters()), "tokens must hold integers"),
    (lambda: next_token_logits([1, 2], [0], parameters()), "positions must have one entry a token, shape (2,), got shape (1,)"),
    (lambda: next_token_logits([1], [0], parameters(), [None]), "caches must be one a layer, 2 of them, or None, got 1"),
    (lambda: next_token_logits([1], [0], parameters(), [None] * 3), "caches must be one a layer, 2 of them, or None, got 3"),
    (lambda: next_token_logits([1], [0], parameters(), []), "caches must be one a layer, 2 of them, or None, got 0"),
    (lambda: parameters(layers=0), "layers must be an integer of at least 1, got 0"),
    (lambda: parameters(vocabulary=0), "vocabulary must be an integer of at least 1, got 0"),
    (lambda: parameters(heads=3), "dim must be a multiple of 2 * heads, 6, since features turn in pairs, got 16"),
])
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


SCHEMES = {"none": Scheme(), "rotary": rotary(8), "sinusoidal": sinusoidal(), "alibi": alibi([0.5, 0.25]),
           "learned": learned(np.random.default_rng(1).normal(size=(8, 16))),
           "t5": t5(np.random.default_rng(2).normal(size=(2, 6)), max_distance=7), "sharper": rotary(8)._replace(sharpness=2.0)}


@pytest.mark.parametrize("name", SCHEMES)
def test_a_cache_serves_every_scheme(name):
    """claim 7.5 for each way of telling positions: every prefix, a token at a time and in chunks"""
    full, _ = decode((8,), parameters(), scheme=SCHEMES[name])
    for chunks in ((1,) * 8, (5, 1, 2), (3, 5)):
        np.testing.assert_allclose(decode(chunks, parameters(), scheme=SCHEMES[name])[0], full, atol=1e-10)


def test_each_scheme_gives_logits_of_its_own():
    logits = [decode((8,), parameters(), scheme=scheme)[0] for scheme in SCHEMES.values()]
    assert min(abs(one - other).max() for n, one in enumerate(logits) for other in logits[:n]) > 0.01


def test_sequences_of_a_batch_do_not_see_each_other():
    batch = np.stack([TOKENS, TOKENS[::-1]])
    logits, caches = next_token_logits(batch, np.arange(8), parameters())
    np.testing.assert_allclose(logits[0], decode((8,), parameters())[0], atol=1e-10)
    step, _ = next_token_logits(batch[:, :1], [8], parameters(), caches)
    assert step.shape == (2, 1, 11)


def test_without_the_first_norm_the_first_attention_reads_the_sum_itself():
    scaled = {**parameters(), "embedding": 3 * parameters()["embedding"]}
    normed, _ = next_token_logits(TOKENS, np.arange(8), {**scaled, "first_norm": True}, scheme=Scheme())
    plain, _ = next_token_logits(TOKENS, np.arange(8), {**scaled, "first_norm": False}, scheme=Scheme())
    assert abs(normed - plain).max() > 0.1
    np.testing.assert_array_equal(normed, next_token_logits(TOKENS, np.arange(8), scaled, scheme=Scheme())[0])


def test_the_logits_keep_float32():
    single = {key: value if key == "heads" else value.astype(np.float32) for key, value in parameters().items()}
    assert {next_token_logits(TOKENS, np.arange(8), single, scheme=scheme)[0].dtype for scheme in SCHEMES.values()} == {np.dtype("float32")}


def test_weights_that_lack_an_entry_are_named():
    parameters = random_parameters(np.random.default_rng(0))
    del parameters["w_up"], parameters["heads"]
    with pytest.raises(ValueError, match=r"^parameters must be a dict with embedding, .* as random_parameters makes it, got \['heads', 'w_up'\] missing$"):
        next_token_logits([1], [0], parameters)
    with pytest.raises(ValueError, match="got list$"):
        next_token_logits([1], [0], [parameters])
