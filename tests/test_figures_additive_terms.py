"""The figures of chapter 3 say what the claims say, at every setting."""

import itertools
import re

from figure_kit import built, numbers, readout, unseen
import numpy as np
import pytest

from pe_lib.additive import score_terms, variance_shares
from pe_lib.attention import attention_scores, causal_mask, softmax
from pe_lib.teach.figures import additive_terms as figures
from pe_lib.teach.figures import additive_terms_heads as heads
from pe_lib.teach.figures import additive_terms_mixing as mixing
from pe_lib.teach.plots import signed
from pe_lib.frequencies import inverse_frequencies
from pe_lib.sinusoidal import offset_matrix, sinusoidal_encoding


@pytest.mark.parametrize("query, key", list(itertools.product(figures.WORDS, figures.WORDS)))
@pytest.mark.parametrize("strength", [0.0, 0.25, 1.0, 2.0])
def test_four_areas_make_the_score(strength, query, key):
    """claims 3.1 and 3.2: the areas named add up to (x + s p) W_Q times (x + s p) W_K"""
    i, j = figures.WORDS.index(query), figures.WORDS.index(key)
    q = (np.array(figures.EMBEDDING[query]) + strength * figures.PLACE[i]) @ figures.W_Q
    k = (np.array(figures.EMBEDDING[key]) + strength * figures.PLACE[j]) @ figures.W_K
    said = numbers(readout(figures.areas, strength=strength, query=query, key=key))
    *areas, total, alone = said[6:]
    assert len(areas) == 4 and sum(areas) == total == (q @ k).item() and areas[0] == alone


def test_the_lesson_s_score_is_42():
    """claim 3.2"""
    assert "(4 + 2) × (3 + 4) = 12 + 16 + 6 + 8 = 42." in readout(figures.areas, strength=1.0, query="dog", key="man")


def test_the_missions_on_areas():
    """claim 3.2: position–position first beats content–content at 1.25; two pairs have content–content as their largest area"""
    ahead = [s for s in np.arange(0, 2.25, 0.25)
             if (areas := numbers(readout(figures.areas, strength=s, query="dog", key="man"))[6:10])[3] > areas[0]]
    assert ahead[0] == 1.25
    largest = {pair for pair in itertools.product(figures.WORDS, figures.WORDS)
               if np.argmax(numbers(readout(figures.areas, strength=1.0, query=pair[0], key=pair[1]))[6:10]) == 0}
    assert largest == {("dog", "dog"), ("man", "dog")}


@pytest.mark.parametrize("strength, sentence", list(itertools.product([0.0, 1.0, 2.0], figures.SENTENCES)))
def test_four_maps_add_up_to_the_score(strength, sentence):
    """claim 3.2: read off the pictures themselves, at every corner"""
    readout(figures.four_maps, strength=strength, sentence=sentence, query=5)
    *maps, total = [np.asarray(ax.images[0].get_array()) for ax in built(figures.four_maps)[0].axes[:5]]
    x, w_q, w_k = figures.untrained_head(sentence)
    z = x + strength * sinusoidal_encoding(np.arange(6), 16, base=100.0)
    np.testing.assert_allclose(sum(maps), attention_scores(z @ w_q, z @ w_k), atol=1e-12)
    np.testing.assert_allclose(total, sum(maps), atol=0.051)                # its numbers are rounded to one digit
    limits = {ax.images[0].get_clim() for ax in built(figures.four_maps)[0].axes[:5]}
    assert limits == {(-8, 8)}                                              # one colour scale,
    assert max(np.abs(part).max() for part in (*maps, total)) <= 8          # and nothing beyond it
    if strength == 0:
        assert not np.any(maps[1:])
    if sentence.startswith("fish"):
        assert np.allclose(maps[1], maps[1][:1]) and np.allclose(maps[2], maps[2][:, :1])


def test_position_position_does_not_know_the_sentence_and_content_content_not_the_strength():
    """claim 3.2: the missions' answers"""
    def maps(**changes):
        readout(figures.four_maps, **({"strength": 1.0, "sentence": figures.SENTENCES[0], "query": 5} | changes))
        return [np.array(ax.images[0].get_array()) for ax in built(figures.four_maps)[0].axes[:4]]
    start, other, louder, without = maps(), maps(sentence=figures.SENTENCES[1]), maps(strength=2.0), maps(strength=0.0)
    assert [np.allclose(a, b) for a, b in zip(start, other)] == [False, False, False, True]
    assert [np.allclose(a, b) for a, b in zip(start, louder)] == [True, False, False, False]
    assert [bool(map_.any()) for map_ in without] == [True, False, False, False]
    assert np.allclose(start[0][0], start[0][3])                            # both rows are “the”


@pytest.mark.parametrize("sentence", figures.SENTENCES)
@pytest.mark.parametrize("strength", [0.0, 0.7, 2.0])
def test_the_marked_row_names_its_highest_score_and_its_parts(strength, sentence):
    """claim 3.2: the four parts named are those of that score, and they add up"""
    x, w_q, w_k = figures.untrained_head(sentence)
    z = x + strength * sinusoidal_encoding(np.arange(6), 16, base=100.0)
    scores = attention_scores(z @ w_q, z @ w_k)
    for query in range(6):
        said = readout(figures.four_maps, strength=strength, sentence=sentence, query=query)
        *_, a, b, c, d, total = numbers(said)
        assert f" ≈ {signed(total)}." in said and "(0" not in said
        assert total == pytest.approx(scores[query].max(), abs=0.005) == pytest.approx(a + b + c + d, abs=0.021)
        best = np.flatnonzero(scores[query] > scores[query].max() - 1e-9)
        assert ("the same with every word" in said) == (len(best) == 6)
        assert len(best) == 6 or re.search(rf"“{sentence.split()[best[0]]}” at positions? {' and '.join(map(str, best))}\. ", said)


def test_cat_turns_to_dog_at_strength_1_1():
    """claim 3.2: a mission's answer, on the slider's steps"""
    said = [readout(figures.four_maps, strength=step / 10, sentence=figures.SENTENCES[0], query=5) for step in range(21)]
    assert ["“dog” at position 1." in text for text in said] == [step >= 11 for step in range(21)]
    assert all("“old” at position 4." in text for text in said[:11])


def test_twenty_words_and_sixteen_places_are_parted_by_one_map():
    """claim 3.3"""
    reader = heads.position_reader(heads.CONTENTS, heads.PLACES)
    np.testing.assert_allclose((heads.CONTENTS[:, None] + heads.PLACES) @ reader, np.broadcast_to(heads.PLACES, (20, 16, 64)), atol=1e-9)


@pytest.mark.parametrize("first, second", [(0, 1), (0, 5), (3, 7)])
def test_no_map_reads_the_place_where_two_words_differ_by_two_places(first, second):
    """claim 3.3: one vector, two places. One word that *is* the difference of two places does no harm."""
    def smallest_error(words):
        sums = (words[:, None] + heads.PLACES).reshape(-1, 64)
        wanted = np.tile(heads.PLACES, (len(words), 1))
        return np.abs(sums @ np.linalg.lstsq(sums, wanted, rcond=None)[0] - wanted).max()
    difference, twins, single = heads.PLACES[first] - heads.PLACES[second], heads.CONTENTS.copy(), heads.CONTENTS.copy()
    twins[1], single[1] = twins[0] + difference, difference
    assert smallest_error(twins) > np.abs(difference).max() / 2 - 1e-9 > 0.4
    assert smallest_error(single) < 1e-9 and smallest_error(heads.CONTENTS) < 1e-9


def test_where_differences_of_words_span_all_features_no_map_is_exact():
    """claim 3.3: two words at one place must give one answer, so every difference is sent to 0"""
    words = mixing.vocabulary(33)[:, :32]
    assert [np.linalg.matrix_rank(words[1:count] - words[0]) for count in (32, 33)] == [31, 32]
    assert mixing.best_reader(words, mixing.table_of_places("random table", 16, 32))[1] > 0.1


@pytest.mark.parametrize("words, count, dim", [(3, 4, 8), (9, 5, 10), (40, 16, 32)])
def test_few_rows_ask_the_same_as_all_sums(words, count, dim):
    """claim 3.3: the short system of best_reader against least squares over every sum"""
    rng = np.random.default_rng(words)
    contents, places = rng.normal(size=(words, dim)), rng.normal(size=(count, dim))
    sums, wanted = (contents[:, None] + places).reshape(-1, dim), np.tile(places, (words, 1))
    best = np.linalg.lstsq(sums, wanted, rcond=None)[0]
    reader, error = mixing.best_reader(contents, places)
    np.testing.assert_allclose(sums @ reader, sums @ best, atol=1e-9)
    np.testing.assert_allclose(error, np.linalg.norm(sums @ best - wanted) / np.linalg.norm(wanted), atol=1e-9)


def test_the_figure_says_where_the_room_ends():
    """claim 3.3: exact at width 64; at width 32 a random table breaks at 18 words, sinusoids not yet at 20"""
    def exact(**settings):
        return "is exact" in readout(mixing.split_again, **settings)
    assert exact(words=20, width=64, kind="sinusoids") and exact(words=20, width=64, kind="random table")
    assert [w for w in range(1, 25) if not exact(words=w, width=32, kind="random table")][0] == 18
    assert exact(words=20, width=32, kind="sinusoids") and not exact(words=30, width=32, kind="sinusoids")
    assert "(up to rounding) misses by 0.23 of the places’ size, and all of the sums are read right" in readout(
        mixing.split_again, words=20, width=32, kind="random table")


@pytest.mark.parametrize("kind, width, words, share", [("sinusoids", 16, 13, "99.5%"), ("sinusoids", 64, 64, "99.5%"), ("random table", 32, 98, "99.9%"),
                                                       ("random table", 32, 48, "all"), ("sinusoids", 16, 100, "50.3%")])
def test_all_of_the_sums_are_read_right_only_where_none_is_wrong(kind, width, words, share):
    """claim 3.3: a share is rounded down"""
    contents, places = mixing.vocabulary(words)[:, :width], mixing.table_of_places(kind, 16, width)
    read = (contents[:, None] + places) @ mixing.best_reader(contents, places)[0]
    nearest = np.linalg.norm(read[:, :, None] - places, axis=-1).argmin(axis=-1)
    assert (nearest == np.arange(16)).all() == (share == "all")
    assert share == "all" or 0 <= 1000 * (nearest == np.arange(16)).mean() - 10 * float(share.rstrip("%")) < 1
    assert f"and {share} of the sums are read right." in readout(mixing.split_again, words=words, width=width, kind=kind)


@pytest.mark.parametrize("width", mixing.WIDTHS)
def test_the_curve_of_errors_goes_through_its_dot(width):
    """claim 3.3: at every number of words, and least of all may it smooth the bend where the room ends"""
    for kind, words in itertools.product(("sinusoids", "random table"), (1, 9, 10, 11, 17, 18, 49, 50, 53, 54, 100)):
        readout(mixing.split_again, words=words, width=width, kind=kind)
        left = built(mixing.split_again)[0].axes[0]
        curves, dot = {line.get_label(): line for line in left.lines}, left.lines[2]
        (at,), (error,) = dot.get_data()
        assert at == words and np.interp(at, *curves[kind].get_data()) == pytest.approx(error, abs=1e-7)
    assert [int(curves["random table"].get_xdata()[curves["random table"].get_ydata() > 1e-6][0])] == [width - 16 + 2]


def test_eleven_directions_hold_sixteen_sinusoids_to_eight_digits():
    """claim 3.3: why 20 words leave them enough of 32, and why the error is small and not 0"""
    sizes = np.linalg.svd(mixing.table_of_places("sinusoids", 16, 32), compute_uv=False)
    assert (sizes > 1e-8 * sizes[0]).sum() == 11 and 0 < sizes[12] < 1e-10 * sizes[0]
    assert 0 < mixing.best_reader(heads.CONTENTS[:, :32], mixing.table_of_places("sinusoids", 16, 32))[1] < 5e-8


def rank_modulo(rows, prime):
    """The rank of a table of whole numbers modulo a prime: never more than its true rank."""
    rows, rank = [[number % prime for number in row] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((row for row in rows[rank:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        inverse = pow(pivot[column], -1, prime)
        rest = [[(a - row[column] * inverse * b) % prime for a, b in zip(row, pivot)] for row in rows[rank:]]
        rows, rank = [*rows[:rank], pivot, *rest], rank + 1
    return rank


@pytest.mark.parametrize("words, exact", [(16, True), (20, False)])
def test_twenty_words_leave_sixteen_sinusoids_an_error_that_is_not_0(words, exact, prime=2**61 - 1):
    """claim 3.3: in exact arithmetic, at width 32; a map exists only where the places add nothing to the rank of the sums"""
    def fractions(table):                                                   # each float is a fraction, n / d modulo the prime
        return [[n * pow(d, -1, prime) for n, d in map(float.as_integer_ratio, row)] for row in table.tolist()]
    word, place = fractions(heads.CONTENTS[:words, :32]), fractions(mixing.table_of_places("sinusoids", 16, 32))
    pairs = [(w, 0) for w in range(words)] + [(0, p) for p in range(1, 16)]           # all other sums are combinations of these
    sums = [[a + b for a, b in zip(word[w], place[p])] for w, p in pairs]
    both = [[*row, *place[p]] for row, (_, p) in zip(sums, pairs)]
    assert (rank_modulo(both, prime) == rank_modulo(sums, prime)) == exact
    assert exact or rank_modulo(both, prime) > 32                           # 32 columns cannot give more


def test_values_carry_the_place_unless_the_difference_is_sent_to_zero():
    """claim 3.3: the lesson's two W_V"""
    difference = figures.PLACE[0] - figures.PLACE[2]
    assert (difference @ np.eye(2)).any() and not (difference @ np.array([[1.0], [2.0]])).any()


@pytest.mark.parametrize("k", [-3, -1, 1, 2, 3])
def test_the_look_back_head_looks_k_back(k):
    """claim 3.5: M_k as W_Q goes back, its transpose goes on"""
    said = readout(heads.look_back, back=k, gain=50.0, masked=False)
    assert f"aims at place {5 - k} " in said and said.endswith(f"is on place {5 - k}.")
    np.testing.assert_allclose(heads.PLACES[5] @ offset_matrix(k, inverse_frequencies(64)), sinusoidal_encoding(5 - k, 64), atol=1e-12)


def test_a_causal_mask_hides_the_next_token_head():
    """claim 3.5"""
    assert readout(heads.look_back, back=-1, gain=20.0, masked=True).endswith("The largest weight in its row, 1.00, is on place 5.")
    assert readout(heads.look_back, back=-1, gain=20.0, masked=False).endswith("0.88, is on place 6.")


def test_the_gain_asked_for_is_22():
    """claim 3.5: the mission's answer, on the slider's steps"""
    gains = 10 ** np.arange(0, 2.01, 0.05)
    enough = [g for g in gains if numbers(readout(heads.look_back, back=1, gain=g, masked=False))[4] >= 0.9]
    assert 22 < enough[0] < 23


@pytest.mark.parametrize("masked", [False, True])
def test_the_legend_names_a_mask_only_where_there_is_one(masked):
    readout(heads.look_back, back=1, gain=20.0, masked=masked)
    legend = built(heads.look_back)[0].axes[0].get_legend()
    assert [text.get_text() for text in legend.get_texts() if text.get_visible()] == ["aimed at", "masked"][:1 + masked]
    assert [handle.get_visible() for handle in legend.legend_handles] == [True, masked]


def test_no_dot_of_the_areas_is_cut_off():
    readout(figures.areas, strength=0.0, query="dog", key="man")
    right = built(figures.areas)[0].axes[1]
    assert right.get_xlim()[0] < -0.05 and right.get_ylim()[0] < -1


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("strength", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("head", heads.built_heads())
def test_shares_are_those_of_the_terms(head, strength, masked):
    """claim 3.5: the figure scales terms by powers of the strength; here they are computed afresh"""
    terms = score_terms(heads.CONTENTS[:12], strength * heads.PLACES[:12], *heads.built_heads()[head])
    shares = variance_shares(terms, causal_mask(12) if masked else 0.0)
    said = re.findall(r"(−?\d+)%", readout(heads.shares_of_terms, head=head, strength=strength, masked=masked))
    assert [int(number.replace("−", "-")) for number in said] == pytest.approx([100 * share for share in shares.values()], abs=0.51)
    assert sum(shares.values()) == pytest.approx(1)


def test_behind_the_reader_all_look_back_and_before_it_none():
    """claim 3.5"""
    start = {"strength": 1.0, "masked": False}
    assert "position–position 100%. Of 11 words that have one before them, 11 look" in readout(
        heads.shares_of_terms, head="one back, behind the reader", **start)
    assert "content–content 71%" in (said := readout(heads.shares_of_terms, head="one back: M₁ and I", **start))
    assert "Of 11 words that have one before them, 0 look" in said
    assert "position–position −2%" in readout(heads.shares_of_terms, head="random matrices", **start)
    overtaken = sum(score_terms(heads.CONTENTS[:12], 1.7 * heads.PLACES[:12], *heads.built_heads()["one back: M₁ and I"]).values())
    assert (overtaken.argmax(axis=1) == np.arange(12)).all()                # each word still looks at itself


@pytest.mark.parametrize("masked, first", [(False, 1.7), (True, 1.9)])
def test_the_missions_on_shares_hold_without_the_mask(masked, first):
    """claim 3.5: with it, position–position overtakes later, and no term of the random head works against the sum"""
    def shares(head, strength):
        said = readout(heads.shares_of_terms, head=head, strength=strength, masked=masked)
        return [int(number.replace("−", "-")) for number in re.findall(r"(−?\d+)%", said)]
    steps = [step / 10 for step in range(1, 41)]
    assert [s for s in steps if (now := shares("one back: M₁ and I", s))[3] > now[0]][0] == first
    assert [share < 0 for share in shares("random matrices", 1.0)] == [False, False, False, not masked]


def test_one_word_looks_and_two_look():
    said = {readout(heads.shares_of_terms, head="one back: M₁ and I", strength=step / 10, masked=False).split(", ")[-1] for step in range(1, 41)}
    assert said >= {"0 look at it most."} and "1 look at it most." not in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heads, "softmax", lambda scores: np.eye(12)[[0, 0, *range(2, 12)]])
        assert readout(heads.shares_of_terms, head="one back: M₁ and I", strength=1.0, masked=False).endswith(" 1 looks at it most.")


def test_97_per_cent_of_a_word_is_left_where_it_was():
    """claim 3.5: on average over random words the mean cosine, 0.966; of the twelve of the lesson at least 0.95"""
    def kept(words):
        return np.sum(words @ offset_matrix(1, inverse_frequencies(64)) * words, axis=1) / np.sum(words**2, axis=1)
    assert kept(heads.CONTENTS[:12]).min() > 0.95
    many = kept(np.random.default_rng(0).normal(size=(20_000, 64)))
    assert many.mean() == pytest.approx(np.cos(inverse_frequencies(64)).mean(), abs=1e-3) == pytest.approx(0.966, abs=1e-3)
    assert many.min() < 0.9                                                 # so 0.95 is a property of the twelve


def test_a_constant_along_a_row_moves_no_weight():
    """claim 3.5: why shares are of the row-centred variance"""
    scores, constant = np.random.default_rng(0).normal(size=(2, 5, 5))
    np.testing.assert_allclose(softmax(scores + constant[:, :1]), softmax(scores), atol=1e-12)


def test_the_score_named_beside_the_stripes_is_that_of_places_1_and_0():
    """claim 3.4"""
    assert readout(heads.blended, blend=0.0, kind="M₁, one back").endswith("Place 1 gives place 0, at offset −1, the score 2.00.")


@pytest.mark.parametrize("kind", heads.commuting_matrices(16))
def test_stripes_where_the_product_commutes(kind):
    """claim 3.4"""
    product, turn = heads.commuting_matrices(16)[kind], offset_matrix(1, inverse_frequencies(16))
    np.testing.assert_allclose(product @ turn, turn @ product, atol=1e-12)
    assert "0% random: the scores that share an offset are all equal." in readout(heads.blended, blend=0.0, kind=kind)
    for blend in (0.05, 0.3, 1.0):
        assert numbers(readout(heads.blended, blend=blend, kind=kind))[1] > 0.04


def test_only_two_numbers_a_pair_commute():
    """claim 3.4: and encodings of all places span all features, so nothing else has constant diagonals"""
    for dim in (2, 4, 16):
        turn = offset_matrix(1, inverse_frequencies(dim))
        condition = np.kron(turn.T, turn.T) - np.eye(dim * dim)
        assert dim * dim - np.linalg.matrix_rank(condition) == dim
        assert np.linalg.matrix_rank(sinusoidal_encoding(np.arange(5000), dim)) == dim


@pytest.mark.parametrize("dim, base", [(2, 10.0), (4, 10.0), (6, 10.0), (8, 10.0)])
def test_d_plus_one_places_with_stripes_make_the_product_commute_and_d_places_do_not(dim, base):
    """claim 3.4: the matrices with constant diagonals, counted: dim of them from dim + 1 places on, 2 dim - 1 with dim"""
    def striped(count):
        p = sinusoidal_encoding(np.arange(count), dim, base)
        conditions = [np.kron(p[i + 1], p[j + 1]) - np.kron(p[i], p[j]) for i in range(count - 1) for j in range(count - 1)]
        return dim * dim - np.linalg.matrix_rank(conditions)
    assert [striped(count) for count in (dim, dim + 1, dim + 2)] == [2 * dim - 1, dim, dim]


def test_sixteen_places_of_sixty_four_features_have_stripes_without_commuting():
    """claim 3.4: commuting is enough, and for these places not necessary: A = I + N, where N sends all of them to zero"""
    unseen = np.linalg.svd(heads.PLACES)[2][16:]
    product, turn = np.eye(64) + unseen.T @ unseen, offset_matrix(1, inverse_frequencies(64))
    table = heads.PLACES @ product @ heads.PLACES.T
    np.testing.assert_allclose(table[1:, 1:], table[:-1, :-1], atol=1e-9)
    assert np.linalg.norm(product @ turn - turn @ product) > 0.1


def test_the_peaks_of_the_three_kinds():
    """claim 3.4: the mission's answer"""
    places = sinusoidal_encoding(np.arange(24), 16)
    peaks = [(places @ product @ places.T)[12].argmax() - 12 for product in heads.commuting_matrices(16).values()]
    assert peaks == [0, -1, -5]


def test_no_entry_of_the_blended_maps_is_off_its_colour_scale():
    for blend, kind in itertools.product(np.arange(0, 1.01, 0.05), heads.commuting_matrices(16)):
        readout(heads.blended, blend=blend, kind=kind)
        for ax in built(heads.blended)[0].axes[:2]:
            assert np.abs(ax.images[0].get_array()).max() <= ax.images[0].get_clim()[1] + 1e-9


@pytest.mark.parametrize("bias", [0.0, 0.7])
def test_normalised_parts_add_up_once_the_deviation_is_held(bias):
    """claim 3.6"""
    x, p = heads.CONTENTS[:8], heads.PLACES[:8]
    gain, shift = np.random.default_rng(1).uniform(0.5, 1.5, 64), np.full(64, bias)
    parts = mixing.normalised_parts(x, p, gain, shift)
    z = x + p
    whole = gain * (z - z.mean(axis=1, keepdims=True)) / np.sqrt(z.var(axis=1, keepdims=True) + 1e-5) + shift
    np.testing.assert_allclose(sum(parts.values()), whole, atol=1e-12)
    other = mixing.normalised_parts(heads.CONTENTS[8:16], p, gain, shift)
    assert not np.allclose(parts["position"], other["position"]) and np.allclose(parts["bias"], other["bias"])


@pytest.mark.parametrize("bias", [0.0, 0.25, 4.0])
def test_the_bias_drawn_is_as_long_as_the_slider_says(bias):
    """claim 3.6"""
    assert readout(mixing.normalised, word=3, loudness=1.0, bias=bias).endswith(f"Bias: {bias:.2f} everywhere.")


def test_a_loud_word_silences_its_own_place_alone():
    """claim 3.6"""
    quiet, loud = (numbers(readout(mixing.normalised, word=3, loudness=loudness, bias=0.0)) for loudness in (1.0, 10.0))
    assert loud[3] < 0.2 * quiet[3] and loud[5] == quiet[5]


def test_adding_is_tied_concatenation_and_concatenation_is_padded_addition():
    """claim 3.7"""
    rng = np.random.default_rng(0)
    x, p, a, b = rng.normal(size=(4, 5, 5))
    np.testing.assert_allclose((x + p) @ a, np.hstack([x, p]) @ np.vstack([a, a]))
    padded = np.hstack([x, 0 * p]) + np.hstack([0 * x, p])
    np.testing.assert_allclose(padded @ np.vstack([a, b]), x @ a + p @ b)
    assert ((np.vstack([a, b]) @ np.vstack([b, a]).T)[:5, 5:] != 0).any()      # and the mixed blocks are there


@pytest.mark.parametrize("build, start, changes", [
    (figures.areas, {"strength": 1.0, "query": "dog", "key": "man"}, [{"strength": 0.5}, {"query": "bites"}, {"key": "dog"}]),
    (figures.four_maps, {"strength": 1.0, "sentence": figures.SENTENCES[0], "query": 5},
     [{"strength": 0.5}, {"sentence": figures.SENTENCES[2]}, {"query": 4}]),
    (mixing.split_again, {"words": 20, "width": 32, "kind": "sinusoids"}, [{"words": 60}, {"width": 16}, {"kind": "random table"}]),
    (heads.look_back, {"back": 1, "gain": 20.0, "masked": False}, [{"back": 2}, {"gain": 5.0}, {"masked": True}]),
    (heads.shares_of_terms, {"head": "random matrices", "strength": 1.0, "masked": False},
     [{"head": "one back: M₁ and I"}, {"strength": 2.0}, {"masked": True}]),
    (heads.blended, {"blend": 0.0, "kind": "identity"}, [{"blend": 0.05}, {"kind": "M₁, one back"}]),
    (mixing.normalised, {"word": 3, "loudness": 4.0, "bias": 0.0}, [{"word": 2}, {"loudness": 1.0}, {"bias": 1.0}]),
    (mixing.normalised, {"word": 3, "loudness": 1.0, "bias": 0.0}, [{"word": 2}]),
], ids=["areas", "four_maps", "split_again", "look_back", "shares_of_terms", "blended", "normalised", "normalised, no word louder"])
def test_every_control_changes_the_picture(build, start, changes):
    assert unseen(build, start, changes) == []
