"""The figures of chapter 5 say what the claims say, at every setting."""


from figure_kit import built, frame, numbers, readout, unseen
import numpy as np
import pytest

from pe_lib.teach.figures import rotation_identity as arrows
from pe_lib.teach.figures import rotation_identity_scores as scores
from pe_lib.frequencies import angles, inverse_frequencies, offset_similarity
from pe_lib.teach.plots import new_figure, show, style
from pe_lib.rotary import pair_contributions, rotate, rotation_matrix
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding


# ---- lock the offset

@pytest.mark.parametrize("query", [20, 30, 47, 3003])
def test_with_the_offset_locked_the_score_stays(query):
    """claim 5.2: 30 and 35, 3003 and 3008"""
    assert readout(arrows.lock_the_offset, query=query, offset=5) == (
        f"Query at {query}, key at {5 + query}: the offset, key − query, is 5. Pair 0 adds 1.03 and pair 1 adds 5.51, "
        "so the score is 6.54.")


def test_the_score_is_that_of_the_rotated_words():
    """claim 5.2: the readout against rotating both words and multiplying"""
    for i, j in ((20, 20), (30, 36), (40, 20), (27, 38)):
        q, k = rotate(np.array([arrows.Q, arrows.K]), [i, j], arrows.FREQUENCIES)
        assert numbers(readout(arrows.lock_the_offset, query=i, offset=j - i))[-1] == pytest.approx(q @ k, abs=0.006)


def test_the_missions_of_the_locked_offset():
    """claim 5.2: one token on, pair 0 jumps; offset 8 scores nearly what offset 5 does, and no other from −20 to 20"""
    assert "Pair 0 adds 6.44 and pair 1 adds 5.86" in readout(arrows.lock_the_offset, query=30, offset=6)
    at = {offset: numbers(readout(arrows.lock_the_offset, query=30, offset=offset))[-1] for offset in range(-20, 21)}
    assert [offset for offset, score in at.items() if abs(score - at[5]) <= 0.2] == [5, 8]


def test_moving_the_query_rotates_the_arrows_and_leaves_the_bars():
    """claim 5.2: pixel by pixel"""
    here, there = (frame(arrows.lock_the_offset, {"query": query, "offset": 5}) for query in (30, 3003))
    dials, bars = (slice(30, None), slice(0, 535)), (slice(30, None), slice(535, None))
    assert (here[dials] != there[dials]).any() and (here[bars] == there[bars]).all()


@pytest.mark.parametrize("query, offset", [(20, 0), (30, 5), (31, -20), (3020, 20)])
@pytest.mark.parametrize("pair", [0, 1])
def test_the_handles_are_at_the_tips_of_the_arrows(query, offset, pair):
    """What touch is told: the blue handle takes the key along, the orange one moves the key alone."""
    settings = {"query": query, "offset": offset}
    figure = built(arrows.lock_the_offset)[0]
    handles = [handle for ax, ((_, *handle),) in figure.touches if ax is figure.axes[pair]]
    assert [handle[0] for handle in handles] == ["query", "offset"]
    tips = rotate(np.array([arrows.Q, arrows.K]), [query, query + offset], arrows.FREQUENCIES)[:, 2 * pair:2 * pair + 2]
    for (name, per, start, plus), tip in zip(handles, tips):
        angle = start + per * (settings[name] + (settings[plus] if plus else 0))
        np.testing.assert_allclose([np.cos(angle), np.sin(angle)], tip / np.linalg.norm(tip), atol=1e-12)


# ---- rotated or added

@pytest.mark.parametrize("position", [0, 1, 12, 60])
def test_a_rotation_keeps_lengths_and_angles(position):
    """claim 5.3"""
    assert readout(arrows.rotated_or_added, position=position, way="rotated") == (
        f"Position {position}, rotated: a, b and c have lengths 2.24, 3.00, 1.41 (the words alone: 2.24, 3.00, 1.41). "
        "The angle between a and b is 63 degrees (the words alone: 63).")


def test_an_added_sinusoid_changes_both():
    """claim 5.3: the missions: c is shortest at 8, b is 4 long at 0"""
    said = [numbers(readout(arrows.rotated_or_added, position=p, way="added")) for p in range(61)]
    assert np.argmin([words[3] for words in said]) == 8 and said[8][3] == 0.42
    assert said[0][2] == 4.0


# ---- a bias shifts the curve down, a rotation sideways

@pytest.mark.parametrize("offset", [-10, -3, 0, 3, 7])
@pytest.mark.parametrize("angle", [0, 60, 90, 180])
def test_a_bias_adds_one_number_and_a_rotation_does_not(offset, angle):
    """claim 5.5"""
    found = numbers(readout(arrows.bias_or_rotation, offset=offset, angle=angle))
    content, biased, rotated_a, rotated_b = found[1], found[2], found[4], found[5]
    direction = np.radians(angle)
    assert [content, biased] == pytest.approx([np.cos(direction), np.cos(direction) - 0.1 * abs(offset)], abs=0.006)
    assert [rotated_a, rotated_b] == pytest.approx(np.cos([direction + 0.3 * offset, -direction + 0.3 * offset]), abs=0.006)
    assert (rotated_a == rotated_b) == (offset == 0 or angle in (0, 180))


def test_a_scores_highest_before_the_query_and_b_after_it():
    """claim 5.5: the first mission; the diamond is then at A, and nowhere else"""
    scored = {offset: numbers(readout(arrows.bias_or_rotation, offset=offset, angle=50))[-2:] for offset in range(-10, 11)}
    assert max(scored, key=lambda offset: scored[offset][0]) == -3 and max(scored, key=lambda offset: scored[offset][1]) == 3
    figure = built(arrows.bias_or_rotation)[0]
    (per,) = [per for _, ((_, name, per, *_),) in figure.touches if name == "offset"]
    assert min(range(-10, 11), key=lambda offset: abs(per * offset - 50)) == -3


@pytest.mark.parametrize("offset", [-10, -3, 0, 4, 10])
def test_the_diamond_is_the_peak_of_the_rotated_curve(offset):
    """claim 5.5: what is dragged"""
    figure = drawn(arrows.bias_or_rotation, (8, 3.4), offset=offset, angle=50)
    (diamond,) = (line for line in figure.axes[1].lines if line.get_marker() == "D")
    (curve,) = (line for line in figure.axes[1].lines if line.get_label() == "rotated")
    peak = curve.get_xdata()[np.argmax(curve.get_ydata())]
    assert diamond.get_xdata()[0] == pytest.approx(peak, abs=1.6) and curve.get_ydata().max() == pytest.approx(1, abs=0.001)


def test_no_formula_in_cosine_and_offset_gives_the_score():
    """claim 5.5: the same cosine and the same length, and after a quarter 1 and −1"""
    quarter = rotation_matrix(1, [np.pi / 2])
    assert np.array([1, 0]) @ quarter @ [1, 1] == pytest.approx(-1) and np.array([1, 0]) @ quarter @ [1, -1] == pytest.approx(1)


# ---- the two matrices

@pytest.mark.parametrize("dim", [2, 4, 64])
@pytest.mark.parametrize("n", [-3, 0, 3, 1000])
def test_r_is_m_in_the_other_component_order(n, dim):
    """claim 5.8"""
    inv_freq = inverse_frequencies(dim)
    swap = np.arange(dim).reshape(-1, 2)[:, ::-1].ravel()
    R, M = rotation_matrix(n, inv_freq), offset_matrix(n, inv_freq)
    np.testing.assert_allclose(R[swap][:, swap], M, atol=1e-12)
    np.testing.assert_allclose(R.T, M, atol=1e-12)
    rotated = rotate(np.tile([1.0, 0.0], dim // 2)[None], [n], inv_freq)[0]
    np.testing.assert_allclose(rotated[swap], sinusoidal_encoding(n, dim), atol=1e-12)


def test_the_picture_of_the_matrices_is_drawn():
    """claim 5.8"""
    figure = new_figure(8, 3.2)
    arrows.two_matrices(figure)
    assert len(show(figure, alt="A picture of this chapter.").png) > 5000


# ---- pair by pair

def test_fast_pairs_change_between_neighbours_and_slow_ones_do_not():
    """claim 5.6: from offset 0 to 1, with all pairs alike, by 1 − cos ω"""
    here, next_ = (numbers(readout(scores.pair_parts, offset=offset, words="key = query, all pairs alike", base=10_000.0))[3:11]
                   for offset in (0, 1))
    assert np.subtract(here, next_) == pytest.approx([0.46, 0.05, 0, 0, 0, 0, 0, 0], abs=0.006)
    assert "pair 0 changes most, by 0.46" in readout(scores.pair_parts, offset=0, words="key = query, all pairs alike", base=10_000.0)


def best_offset(words, base=10_000.0):
    at = {offset: numbers(readout(scores.pair_parts, offset=offset, words=words, base=base))[11] for offset in range(-64, 65)}
    return max(at, key=at.get), at


def test_the_missions_pair_by_pair():
    """claim 5.6: one pair peaks where the rotation takes back the angle between its words; unlike words may peak far away"""
    offsets = np.arange(-64, 65)
    assert offsets[pair_contributions(*scores.CONTENTS["only pair 3 is not zero"], offsets, inverse_frequencies(16)).sum(axis=1).argmax()] == -25
    peak, at = best_offset("two random words")
    assert (peak, at[peak], at[0]) == (-62, 5.52, 2.47)
    assert best_offset("key = query, all pairs alike")[0] == 0


# ---- the decay myth

@pytest.mark.parametrize("base", [100.0, 10_000.0, 500_000.0])
def test_unrelated_words_have_mean_0_at_every_offset(base):
    """claim 5.7"""
    assert np.abs(numbers(readout(scores.decay, likeness=0.0, base=base))[2:8:2]).max() < 4 / np.sqrt(1000)


@pytest.mark.parametrize("likeness", [-1.0, 0.5, 1.0])
def test_the_mean_follows_the_sum_of_cosines(likeness):
    """claim 5.7"""
    said = numbers(readout(scores.decay, likeness=likeness, base=10_000.0))
    expected = likeness * 2 * offset_similarity([0, 16, 256], inverse_frequencies(128)) / np.sqrt(128)
    assert said[2:8:2] == pytest.approx(expected, abs=0.1)
    assert f"rises in {115 if likeness > 0 else 141} of its 256 steps" in readout(scores.decay, likeness=likeness, base=10_000.0)


def test_with_opposite_words_the_mean_rises_with_distance():
    """claim 5.7: a mission's answer"""
    said = readout(scores.decay, likeness=-1.0, base=10_000.0)
    assert said.startswith("Likeness −1.0: the mean of 1,000 scores is −11.34 at offset 0, −7.04 at 16 and −3.65 at 256.")


@pytest.mark.parametrize("base", [100.0, 10_000.0, 500_000.0])
def test_the_handle_of_the_curve_is_its_left_end(base):
    """claim 5.7: at offset 0 the expected score is likeness times the root of d, at every base"""
    ((_, ((_, name, per, start, _),)),) = built(scores.decay)[0].touches
    ends = [scores.mean_score(np.array([0]), inverse_frequencies(128, base), likeness)[0] for likeness in (-1.0, 0.3)]
    assert name == "likeness" and [start + per * -1.0, start + per * 0.3] == pytest.approx(ends)


def test_the_heights_at_256_grow_with_the_base():
    """claim 5.7: a mission's answer"""
    heights = [scores.mean_score(np.array([0, 256]), inverse_frequencies(128, base), 1.0) for base in (100.0, 1e4, 5e5)]
    np.testing.assert_allclose(heights, [[11.3, -0.3], [11.3, 3.6], [11.3, 6.3]], atol=0.06)


def test_the_papers_ceiling_falls_on_average_and_not_from_step_to_step():
    """claim 5.7"""
    phases = np.exp(1j * angles(np.arange(257), inverse_frequencies(64)))
    heights = np.abs(np.cumsum(phases, axis=1)).mean(axis=1)
    assert (np.diff(heights) > 0).sum() > 100
    assert (np.diff(heights[1:].reshape(4, 64).mean(axis=1)) < 0).all() and heights.argmax() == 0


@pytest.mark.parametrize("i, j", [(0, 4), (3, 8), (1, 2)])
def test_nothing_of_a_rotated_score_is_left_without_the_word(i, j):
    """claim 5.8: with the query reversed the whole score changes its sign; of a sum, the term of the positions stays"""
    q, k, inv_freq = arrows.Q, arrows.K, arrows.FREQUENCIES

    def rotated(word):
        return rotate(np.array([word, k]), [i, j], inv_freq).prod(axis=0).sum()

    at_i, at_j = sinusoidal_encoding(np.array([i, j]), 4, base=100)
    assert rotated(q) + rotated(-q) == pytest.approx(0, abs=1e-12)
    assert abs((q + at_i) @ (k + at_j) + (at_i - q) @ (k + at_j)) > 0.1


# ---- built in, or learned position by position

@pytest.mark.parametrize("share", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("kind", ["five back", "near scores high"])
def test_a_rotation_knows_an_offset_everywhere(kind, share):
    """claim 5.9: pairs left out and later positions as well as pairs seen; the table and the vectors have no later positions"""
    target, seen, fits = scores.fitted_scores(kind, share)
    found = {name: scores.errors(target, seen, fit) for name, fit in fits.items()}
    assert max(found["rotation"][:3]) < 0.05 < found["table"][1]
    assert found["vectors"][0] < 0.06 and found["rotation"][1] < found["vectors"][1]
    u, v = scores.fit_vectors(target, np.pad(seen, (0, scores.LONG - scores.SHORT)))      # a vector for each later position too
    assert (u[scores.SHORT:] == 0).all() and (v[scores.SHORT:] == 0).all()                # is left at 0


@pytest.mark.parametrize("share, missing", [(0.1, 20), (0.2, 6), (0.3, [-23, 22, 23]), (0.6, [22, 23]), (0.7, []), (0.8, []), (1.0, [])])
def test_which_offsets_no_seen_pair_has(share, missing):
    """claim 5.9: none from 24 on; how many nearer ones depends on the share (a number: so many; a list: these)"""
    i, j = np.nonzero(scores.seen_pairs(share))
    never = [offset for offset in range(1 - scores.SHORT, scores.SHORT) if offset not in set((j - i).tolist())]
    assert (never if isinstance(missing, list) else len(never)) == missing
    assert np.abs(j - i).max() < scores.SHORT


def test_the_shares_that_are_really_seen_and_where_the_vectors_fit():
    """claim 5.9: each pair is shown with a chance, so the shares differ a little; the vectors' error is below 0.2 from 0.5 on"""
    shares = np.arange(1, 11) / 10
    seen = [round(100 * scores.seen_pairs(share).mean(), 1) for share in shares]
    assert seen == [9.0, 19.4, 27.1, 36.5, 45.7, 57.6, 67.0, 77.3, 89.1, 100.0]
    assert "27% of the pairs below 24 seen" in readout(scores.built_in, share=0.3, kind="five back")
    left_out = []
    for share in shares[:-1]:
        target, shown, fits = scores.fitted_scores("five back", share)
        left_out.append(scores.errors(target, shown, fits["vectors"])[1])
    assert [error < 0.2 for error in left_out] == 4 * [False] + 5 * [True]
    assert left_out[3:5] == pytest.approx([0.23, 0.18], abs=0.005)


def test_more_positions_seen_do_not_help_the_vectors_with_the_first_key():
    """claim 5.9: "the vectors fill such gaps" is said of five back: with the first key they gain no more than the table"""
    target, seen, fits = scores.fitted_scores("the first key", 0.8)
    assert scores.errors(target, seen, fits["vectors"])[1] > 0.15


def test_a_fall_with_distance_needs_no_agreement():
    """claim 5.7: each key pair is its query's, a quarter ahead, so q·k is 0 at offset 0; at larger offsets the mean is below it"""
    q = np.random.default_rng(0).normal(size=(4000, 1, 64))
    k = np.stack([-q[..., 1::2], q[..., 0::2]], axis=-1).reshape(q.shape)
    mean = pair_contributions(q, k, [0, 1, 4, 16, 64, 256], inverse_frequencies(64)).sum(axis=-1).mean(axis=0)
    assert np.abs(np.einsum("nij,nij->n", q, k)).max() < 1e-9
    assert mean == pytest.approx([0, -7.4, -11.4, -10.0, -13.2, -11.3], abs=0.1)


def test_what_a_rotation_cannot_say():
    """claim 5.9: the price: no number for a position, and no guarantee at offsets that were never seen"""
    target, seen, fits = scores.fitted_scores("the first key", 0.8)
    found = {name: scores.errors(target, seen, fit)[0] for name, fit in fits.items()}
    assert found["rotation"] > 0.15 and found["table"] < 0.05 and found["vectors"] < 0.05
    target, seen, fits = scores.fitted_scores("five back", 0.8)
    assert scores.errors(target, seen, fits["rotation"])[3] > 0.5


def test_the_fits_are_least_squares():
    """Neither a nudge to the query nor one to a position's vector makes the penalised error smaller."""
    target, seen = scores.TARGETS["five back"](*np.indices((scores.SHORT, scores.SHORT))), scores.seen_pairs(0.5)
    inv_freq = inverse_frequencies(64)
    j, i = np.meshgrid(np.arange(scores.SHORT), np.arange(scores.SHORT))

    def loss_of_query(q):
        keys = rotate(np.tile([1.0, 0.0], (i.size, 32)), (j - i).ravel(), inv_freq).reshape(*i.shape, 64)
        return (((keys @ q - target) ** 2)[seen]).sum() + scores.PENALTY * q @ q

    def loss_of_keys(v, u):
        return (((u @ v.T - target) ** 2)[seen]).sum() + scores.PENALTY * (v ** 2).sum()

    q, (u, v), rng = scores.fit_query(target, seen, inv_freq), scores.fit_vectors(target, seen), np.random.default_rng(0)
    for _ in range(5):
        assert loss_of_query(q + 1e-3 * rng.normal(size=64)) > loss_of_query(q)
        assert loss_of_keys(v + 1e-3 * rng.normal(size=v.shape), u) > loss_of_keys(v, u)


# ---- nothing is cut off

def drawn(build, size, **settings):
    """A figure made for one setting, drawn so that its axes have their final places."""
    figure = new_figure(*size)
    with style():
        build(figure)(**settings)
        figure.canvas.draw()
    return figure


@pytest.mark.parametrize("height", [2.4, 3.3])
def test_the_maps_are_square_and_the_bar_is_as_high(height):
    """“The square is the trained part.”"""
    *maps, bar = drawn(scores.built_in, (8, height), share=0.8, kind="five back").axes
    boxes = [ax.get_window_extent() for ax in maps]
    assert all(box.width == pytest.approx(box.height, rel=0.01) for box in boxes)
    ends = bar.get_tightbbox()
    assert ends.y0 >= boxes[0].y0 - 12 and ends.y1 <= boxes[0].y1 + 12


def test_the_bar_of_the_maps_says_that_scores_go_beyond_it():
    fits = scores.fitted_scores("five back", 1.0)[2]
    assert fits["rotation"].max() > 1 and fits["rotation"].min() < -1
    image = drawn(scores.built_in, (8, 2.4), share=1.0, kind="five back").axes[0].images[0]
    assert image.colorbar.extend == "both"


def test_the_dot_at_the_last_offset_is_whole():
    figure = drawn(scores.pair_parts, (8, 4.2), offset=64, words=ALIKE, base=10_000.0)
    (dot,) = (line for ax in figure.axes for line in ax.lines if line.get_marker() == "o")
    assert not dot.get_clip_on()


@pytest.mark.parametrize("base", [100.0, 10_000.0, 500_000.0])
def test_the_cloud_keeps_clear_of_the_frame(base):
    for tenths in (-10, -5, 0, 5, 10):
        (ax,) = drawn(scores.decay, (8, 3.5), likeness=tenths / 10, base=base).axes
        cloud = next(line for line in ax.lines if line.get_marker() == ".").get_ydata()
        low, high = ax.get_ylim()
        assert low + 0.5 < cloud.min() and cloud.max() < high - 0.5


# ---- all

ALIKE = "key = query, all pairs alike"


def test_all_three_curves_show_where_they_are_one():
    """At offset 0 content alone, with a bias and rotated are the same curve."""
    picture = frame(arrows.bias_or_rotation, {"offset": 0, "angle": 50})[60:330, 420:780, :3].astype(int)    # inside the axes
    for color in ((0x00, 0x9E, 0x73), (0x22, 0x22, 0x22), (0x88, 0x22, 0x55)):
        assert (np.abs(picture - color).max(axis=-1) < 40).sum() > 150


@pytest.mark.parametrize("build, start, changes", [
    (arrows.lock_the_offset, {"query": 30, "offset": 5}, [{"query": 31}, {"offset": 6}]),
    (arrows.rotated_or_added, {"position": 5, "way": "rotated"}, [{"position": 6}, {"way": "added"}]),
    (arrows.bias_or_rotation, {"offset": 3, "angle": 60}, [{"offset": 4}, {"angle": 65}]),
    (scores.pair_parts, {"offset": 5, "words": ALIKE, "base": 100.0}, [{"offset": 6}, {"words": "two other words"}, {"base": 10_000.0}]),
    (scores.decay, {"likeness": 0.5, "base": 100.0}, [{"likeness": 0.6}, {"base": 10_000.0}]),
    (scores.built_in, {"share": 0.3, "kind": "five back"}, [{"share": 0.4}, {"kind": "the first key"}]),
])
def test_every_control_changes_the_picture(build, start, changes):
    assert unseen(build, start, changes) == []


def test_where_no_pair_changes_visibly_none_is_said_to_change_most():
    assert "no pair changes by as much as 0.005" in readout(scores.pair_parts, offset=-25, words="only pair 3 is not zero", base=10_000.0)
