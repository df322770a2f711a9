"""The figures of chapter 1 say what the claims say, at every setting."""

import itertools
import re

from figure_kit import built, readout, unseen
import numpy as np
import pytest

from pe_lib.attention import attention, attention_scores, causal_mask, cosine_similarity, softmax
from pe_lib.teach.figures import dog_bites_man as figures
from pe_lib.teach.plots import new_figure, style


PAIRS = list(itertools.product(figures.WORDS, figures.WORDS, figures.ORDERS))


@pytest.mark.parametrize("query, key, order", PAIRS)
def test_a_pair_of_words_keeps_its_numbers_in_every_order(query, key, order):
    """claims 1.1, 1.2 and 1.3: product, score and weight by hand, and where the figure says that they stand"""
    said = readout(figures.one_pair, query=query, key=key, order=order)
    q, k = (figures.EMBEDDING[word] @ matrix for word, matrix in ((query, figures.W_Q), (key, figures.W_K)))
    powers = {word: np.exp(q @ (figures.EMBEDDING[word] @ figures.W_K) / 2) for word in figures.WORDS}
    assert f"is {q @ k:g}, so the score is {q @ k:g}/√4 = {q @ k / 2:.1f}." in said
    for sentence in (figures.BASE, order):
        row, column = map(sentence.split().index, (query, key))
        assert f"{powers[key] / sum(powers.values()):.2f} in “{sentence}” (row {row}, column {column})" in said
    assert said.endswith(f"The output of {query} is the same vector in both.")


def test_the_first_figure_answers_its_missions():
    """0.33 in both sentences, at (1, 2) and (1, 0); one output in six orders"""
    said = readout(figures.one_pair, query="bites", key="man", order="man bites dog")
    assert "The weight is 0.33 in “dog bites man” (row 1, column 2) and 0.33 in “man bites dog” (row 1, column 0)." in said
    outputs = [figures.run_head(order)[0][order.split().index("dog")] for order in figures.ORDERS]
    np.testing.assert_allclose(outputs, outputs[:1] * 6)


def test_what_is_dragged_in_the_first_figure_is_seen():
    start = {"query": "dog", "key": "bites", "order": "man bites dog"}
    assert unseen(figures.one_pair, start, [{"query": "man"}, {"key": "dog"}, {"order": "bites man dog"}]) == []


def test_the_pictures_that_are_controls():
    """the left grid, the list of orders, the strength, the arrow and the length follow the pointer"""
    touched = {build.__name__: [[part[:2] for part in handle] for _, handle in built(build)[0].touches]
               for build in (figures.one_pair, figures.permuted_attention, figures.masked_attention, figures.added_positions, figures.long_key)}
    assert touched == {"one_pair": [[("x", "key"), ("y", "query")], [("y", "order")]], "permuted_attention": [[("y", "follow")]],
                       "masked_attention": [[("y", "follow")]], "added_positions": [[("x", "strength")]],
                       "long_key": [[("angle", "angle"), ("radius", "length")], [("x", "length")]]}


@pytest.mark.parametrize("seed", [0, 1, 20])
@pytest.mark.parametrize("order, follow", list(itertools.product(figures.ORDERS, figures.WORDS)))
def test_every_word_keeps_its_vector_in_every_order(order, follow, seed):
    """claims 1.2 and 1.3"""
    assert "the same vector" in readout(figures.permuted_attention, order=order, follow=follow, seed=seed)
    output, weights = figures.run_head(order, figures.matrices(seed))
    base, base_weights = figures.run_head(figures.BASE, figures.matrices(seed))
    old = [figures.BASE.split().index(word) for word in order.split()]
    np.testing.assert_allclose(output, base[old], atol=1e-12)
    np.testing.assert_allclose(weights, base_weights[old][:, old], atol=1e-12)


def test_the_numbers_are_those_of_the_lesson():
    """claim 1.1: by hand, dog asks [0 1 3 0], bites answers [0 0 1 0], 3 / sqrt(4) = 1.5"""
    x = np.array([figures.EMBEDDING[word] for word in figures.WORDS])
    np.testing.assert_array_equal(attention_scores(x @ figures.W_Q, x @ figures.W_K), [[0, 1.5, 0.5], [1.5, 0, 1], [1, 0.5, 0]])
    said = readout(figures.permuted_attention, order="bites man dog", follow="dog", seed=0)
    assert said == "In “bites man dog”, dog is row 2 and comes out as [0.14, 0.23, 0.63, 0.37]; in “dog bites man” it is the same vector."


def test_the_mean_is_the_same_for_all_anagrams_unless_a_mask_counts_positions():
    """claims 1.4 and 1.5"""
    means = {kind: np.array([figures.run_head(order, bias=figures.bias_table(kind))[0].mean(axis=0) for order in figures.ORDERS])
             for kind in figures.BIASES}
    np.testing.assert_allclose(means["none"], means["none"][[0]].repeat(6, axis=0))
    assert len(np.unique(means["causal mask"].round(6), axis=0)) == 6
    backwards = [figures.ORDERS.index(" ".join(order.split()[::-1])) for order in figures.ORDERS]
    np.testing.assert_allclose(means["−|j − i|"], means["−|j − i|"][backwards])


@pytest.mark.parametrize("n", [2, 5, 30])
def test_which_came_first_can_be_read_off_the_mean_behind_a_causal_mask(n):
    """claim 1.5: with all scores equal, an earlier position counts for more, strictly; without the mask all count alike"""
    for bias, decreasing in ((causal_mask(n), True), (0.0, False)):
        counts = attention(np.zeros((n, 1)), np.zeros((n, 1)), np.eye(n), bias)[0].mean(axis=0)
        assert (np.diff(counts) < 0).all() if decreasing else np.allclose(counts, 1 / n)


def unchanged(bias):
    """(order, word) pairs in which the word comes out as in the base order."""
    return {(order, word) for order, word in itertools.product(figures.ORDERS[1:], figures.WORDS)
            if "the same vector" in readout(figures.masked_attention, order=order, follow=word, bias=bias)}


def test_a_causal_mask_spares_only_a_word_with_the_same_words_before_it():
    """claim 1.5"""
    before = {(order, word): set(order.split()[:order.split().index(word)])
              for order, word in itertools.product(figures.ORDERS, figures.WORDS)}
    assert unchanged("causal mask") == {(order, word) for order, word in before
                                        if order != figures.BASE and before[order, word] == before[figures.BASE, word]}
    assert unchanged("causal mask") == {("bites dog man", "man"), ("dog man bites", "dog")}


def test_the_quizzed_dog_differs_with_our_matrices_but_not_with_any():
    """claim 1.5: the question says whose matrices; where the values are all alike, a mask changes no output"""
    said = readout(figures.masked_attention, order="man bites dog", follow="dog", bias="causal mask")
    assert said.endswith("it is another vector, 1.26 away.")
    for w_v, same in ((figures.W_V, False), (np.zeros((4, 4)), True), (np.ones((4, 4)), True)):
        first, second = (figures.run_head(sentence, (figures.W_Q, figures.W_K, w_v), causal_mask(3))[0]
                         for sentence in ("dog bites man", "man bites dog"))
        assert np.allclose(first[0], second[2]) == same


def test_behind_a_mask_a_word_has_as_many_outputs_as_there_are_sets_before_it():
    """claim 1.5, a mission's answer: five different words, one layer, word 0 at position i: 4 choose i, and no more"""
    x, w = np.random.default_rng(1).normal(size=(5, 6)), np.random.default_rng(2).normal(size=(3, 6, 6))
    outputs = {position: set() for position in range(5)}
    for order in itertools.permutations(range(5)):
        rows = attention(*(x[list(order)] @ w), causal_mask(5))[0]
        outputs[order.index(0)].add(tuple(rows[order.index(0)].round(9)))
    assert [len(found) for found in outputs.values()] == [1, 4, 6, 4, 1]


def test_with_the_mask_row_0_alone_keeps_its_weights():
    """claim 1.5, a mission's answer: the first word sees itself, in every order"""
    rows = np.array([figures.run_head(order, bias=causal_mask(3))[1] for order in figures.ORDERS])
    assert [len(np.unique(rows[:, i].round(9), axis=0)) == 1 for i in range(3)] == [True, False, False]
    np.testing.assert_array_equal(rows[:, 0], [[1, 0, 0]] * 6)


def test_one_vector_for_all_positions_moves_the_bars_and_a_capital_does_not():
    """claim 1.6, a mission's answer"""
    plain = figures.run_head(figures.BASE)[0]
    moved = {kind: not np.allclose(figures.run_head(figures.BASE, positions=vectors)[0], plain) for kind, vectors in figures.POSITIONS.items()}
    assert moved == {"a vector for each position": True, "one vector for all positions": True, "a capital at position 0": False}


def test_a_symmetric_bias_cannot_tell_a_sentence_from_its_reversal():
    """claim 1.5"""
    assert unchanged("−|j − i|") == {("man bites dog", word) for word in figures.WORDS}
    assert len(unchanged("none")) == 15


def test_the_biases_are_what_they_are_called():
    np.testing.assert_array_equal(figures.bias_table("causal mask"), causal_mask(3))
    np.testing.assert_array_equal(figures.bias_table("−|j − i|"), [[0, -1, -2], [-1, 0, -1], [-2, -1, 0]])


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
def test_only_distinct_and_visible_vectors_part_the_dogs(strength):
    """claim 1.6"""
    said = {kind: readout(figures.added_positions, kind=kind, strength=strength) for kind in figures.POSITIONS}
    parted = {kind for kind, text in said.items() if "the same vector" not in text}
    assert parted == ({"a vector for each position"} if strength else set())


def test_the_dogs_are_first_more_than_a_quarter_apart_at_half_strength():
    """claim 1.6, the figure's first mission: the length of the difference"""
    apart = {strength: float(readout(figures.added_positions, kind="a vector for each position", strength=strength).split()[-2])
             for strength in np.arange(1, 41) * 0.05}
    assert [strength for strength, distance in apart.items() if distance > 0.25][0] == 0.5
    dogs = [figures.run_head(s, positions=0.5 * figures.POSITIONS["a vector for each position"])[0][row]
            for s, row in (("dog bites man", 0), ("man bites dog", 2))]
    assert np.linalg.norm(dogs[0] - dogs[1]) == pytest.approx(0.2647, abs=1e-4)


@pytest.mark.parametrize("length, angle", [(0.1, 0), (1.4, 40), (4.0, 90), (2.5, 180)])
def test_the_score_follows_the_length_and_the_cosine_the_angle(length, angle):
    """claim 1.7"""
    said = readout(figures.long_key, length=length, angle=angle).replace("−", "-")
    score, cosine = map(float, re.findall(r"(?:score|cosine) (-?\d\.\d\d)", said))
    q, k = [[1.0, 0.0]], [[length * np.cos(np.radians(angle)), length * np.sin(np.radians(angle))]]
    assert score == pytest.approx(attention_scores(q, k)[0, 0], abs=0.006)
    assert cosine == pytest.approx(cosine_similarity(q, k)[0, 0], abs=0.006)


def test_doubling_every_key_sharpens_a_row():
    """claim 1.7, a mission's answer: scores of 0 and 1, then of 0 and 2"""
    np.testing.assert_allclose(softmax([[0.0, 1.0], [0.0, 2.0]]), [[0.27, 0.73], [0.12, 0.88]], atol=0.005)


@pytest.mark.parametrize("angle", range(0, 181, 15))
@pytest.mark.parametrize("length", [0.1, 1.0, 4.0])
def test_the_names_of_the_arrows_are_written_beside_them(length, angle):
    """the key's name lies above both arrows, the query's below, at every setting; none leaves the axes"""
    with style():
        fig = new_figure(8, 3)
        figures.long_key(fig)(length=length, angle=angle)
        fig.draw_without_rendering()
        axes = fig.axes[0]
        key, query = ({text.get_text(): text for text in axes.texts}[word].get_window_extent() for word in ("key", "query"))
        tip = axes.transData.transform(length * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]))
        line = axes.transData.transform((0, 0))[1]
        points = fig.dpi / 72
    assert key.y0 > tip[1] + 4 * points and query.y1 < line - 5 * points
    assert axes.bbox.x0 < key.x0 and key.x1 < axes.bbox.x1 and key.y1 < axes.bbox.y1 and query.y0 > axes.bbox.y0
