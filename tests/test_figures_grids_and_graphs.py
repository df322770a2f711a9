"""The figures of chapter 10 say what the claims and the missions' answers say."""

import itertools

import numpy as np
import pytest
from figure_kit import built, readout, unseen

from pe_lib.graphs import shortest_paths
from pe_lib.grid_tables import interpolate_table, window_bias
from pe_lib.spectra import eigenspace_projector, laplacian_encoding
from pe_lib.teach.figures import grids_and_graphs as figures
from pe_lib.teach.figures import grids_and_graphs_nodes as nodes


# ---- patches

def test_only_mixed_rotary_tells_the_two_slants_apart_with_one_content():
    """claim 10.1, and the first mission's answer"""
    said = {name: readout(figures.similar_patches, row=2, column=3, encoding=name) for name in figures.SCORES}
    assert [name for name, text in said.items() if "not the same" in text] == ["mixed rotary"]
    assert "scores 2.06, the one up and two right 1.97" in said["mixed rotary"]
    assert "lies outside" in readout(figures.similar_patches, row=0, column=3, encoding="axial rotary")
    assert "lies outside" in readout(figures.similar_patches, row=2, column=7, encoding="axial rotary")


@pytest.mark.parametrize("name", list(figures.SCORES))
def test_straight_left_and_straight_right_score_alike(name):
    """The first mission's answer: with one content, and with a bias made to fall alike on all sides."""
    table = figures.SCORES[name]().reshape(5, 8, 5, 8)
    np.testing.assert_allclose(table[2, 3, 2, 1], table[2, 3, 2, 5], atol=1e-12)
    assert abs(table[2, 3, 2, 1] - table[2, 3, 2, 2]) > 0.1


def test_a_learned_bias_may_tell_left_from_right():
    """claim 10.1, and the first mission's answer: Swin's table has a number for each side."""
    bias = window_bias((1, 3), [0.0, 0, 0, 1, 0])
    assert (bias[1, 0], bias[1, 2]) == (1, 0)


@pytest.mark.parametrize("name", list(figures.SCORES))
def test_no_score_is_off_the_colour_bar(name):
    assert abs(figures.SCORES[name]()).max() < 3


@pytest.mark.parametrize("name", list(figures.SCORES))
def test_scores_depend_on_the_two_differences_alone(name):
    """claim 10.1, and the second mission's answer"""
    table = figures.SCORES[name]().reshape(5, 8, 5, 8)
    for down, across in ((1, 0), (1, 2), (-1, 3)):
        found = [table[r, c, r + down, c + across] for r in range(1, 4) for c in range(5)]
        np.testing.assert_allclose(found, found[0], atol=1e-12)
    np.testing.assert_allclose(table, table.transpose(2, 3, 0, 1), atol=1e-12)


@pytest.mark.parametrize("grid, rule, said", [
    ("2 × 3", "row · rows + column", "3 of 6 patches get another number than row by row, and two patches share a number"),
    ("3 × 3", "row · rows + column", "0 of 9 patches"),
    ("3 × 3", "column · rows + row", "6 of 9 patches"), ("2 × 3", "column · rows + row", "4 of 6 patches"), ("3 × 2", "column · rows + row", "4 of 6 patches"),
    ("3 × 2", "row · rows + column", "4 of 6 patches get another number than row by row."),
    ("3 × 2", "row · columns + column", "0 of 6 patches"),
])
def test_the_numbers_of_patches(grid, rule, said):
    """claim 10.1, and the missions' answers"""
    assert said in readout(figures.numbering, grid=grid, rule=rule)


def test_only_one_rule_on_one_of_the_wide_grids_shares_numbers():
    shared = [(grid, rule) for grid in figures.GRIDS for rule in figures.RULES if "share" in readout(figures.numbering, grid=grid, rule=rule)]
    assert shared == [("2 × 3", "row · rows + column")]


def test_a_resized_table():
    """claim 10.2, and the missions' answers: 4 is the largest size below 8 that erases the pattern; 0.75² = 0.56"""
    erased = [new for new in range(2, 8) if readout(figures.resized_table, new=new, pattern="every other patch").endswith(" is 0 % of what it was.")]
    assert max(erased) == 4
    assert "to 0.56. Its" in readout(figures.resized_table, new=16, pattern="one patch")
    assert "from 0.00 to 1.00. Its spread over the patches (standard deviation) is 100 %" in readout(figures.resized_table, new=8, pattern="a slope")
    kept = [readout(figures.resized_table, new=new, pattern="every other patch") for new in (7, 9, 12, 16)]
    assert [text.split("is ")[-1] for text in kept] == [f"{percent} % of what it was." for percent in (33, 38, 39, 34)]
    one = np.zeros((64, 1))
    one[36] = 1
    assert interpolate_table(one, (8, 8), (16, 16)).max() == 0.75**2


# ---- graphs

def test_distances_from_a_node():
    """claim 10.3, and the missions' answers"""
    degrees = nodes.EXAMPLE.sum(axis=1)
    assert (degrees.argmax(), degrees.max(), (degrees == degrees.max()).sum()) == (2, 3, 1)
    alone = [query for query in range(10) if "out of reach (−4): 9." in readout(nodes.distances, query=query)]
    assert alone == [9]
    assert "neighbours (1 on the score): 2; three or more edges away (−1): 2; out of reach (−4): 3" in readout(nodes.distances, query=0)
    assert np.isinf(shortest_paths(nodes.EXAMPLE)[0]).sum() == 3


@pytest.mark.parametrize("m", range(1, 8))
def test_the_eigenvectors_of_a_path_are_cosines_that_change_sign_m_times(m):
    """claim 10.3, and the missions' answers"""
    assert readout(nodes.waves, m=m).endswith("Largest difference from it: less than 1e-9.")
    signs = np.sign(laplacian_encoding(nodes.graph(8, nodes.PATH), 7)[1][:, m - 1])
    assert (np.diff(signs) != 0).sum() == m


@pytest.mark.parametrize("turn", [0, 40, 175, 360])
@pytest.mark.parametrize("second", [1, -1])
def test_the_projector_stands_still_while_its_basis_turns(turn, second):
    """claim 10.3, and the missions' answers"""
    said = readout(nodes.turned_pair, turn=turn, second=second)
    assert "(off by less than 1e-9), and the projector has moved by less than 1e-9." in said
    drawn = built(nodes.turned_pair)[0].axes[1].images[0].get_array()
    np.testing.assert_allclose(drawn, eigenspace_projector(nodes.graph(6, nodes.CYCLE), 1.0), atol=1e-12)
    assert ("coordinates 0.44 and 0.37" in said) == (turn == 40 and second == 1)


OWN = {"node": 0, "other": 0, "normalised": False}


@pytest.mark.parametrize("edge, said", [
    ((0, 0), "as it is, 7 edges: the two smallest eigenvalues above 0 are 0.152 and 0.586, different"),
    ((0, 7), "0 and 7 joined, 8 edges: the two smallest eigenvalues above 0 are 0.586 and 0.586, equal"),
    ((7, 0), "0 and 7 joined, 8 edges"), ((4, 3), "3 and 4 cut apart, 6 edges: the two smallest eigenvalues above 0 are 0.586 and 0.586, equal")])
def test_a_graph_drawn_by_its_own_coordinates(edge, said):
    """claim 10.3, and the missions' answers"""
    assert said in readout(nodes.own_coordinates, **OWN | {"node": edge[0], "other": edge[1]})


@pytest.mark.parametrize("normalised", [False, True])
def test_nodes_that_a_mirror_exchanges_share_a_spot_and_a_label(normalised):
    """A ring of five with a tail at node 4: its mirror exchanges 0 with 3 and 1 with 2, and both vectors stay as they are."""
    figure, update = built(nodes.own_coordinates)
    said = update(node=0, other=4, normalised=normalised)
    assert said.endswith("At one spot: nodes 0 and 3, nodes 1 and 2.")
    assert [text.get_text() for text in figure.axes[0].texts[:8]] == ["0,3", "1,2", "", "", "4", "5", "6", "7"]
    assert "At one spot" not in update(**OWN | {"normalised": normalised})
    assert [text.get_text() for text in figure.axes[0].texts[:8]] == list("01234567")


@pytest.mark.parametrize("normalised", [False, True])
def test_the_drawing_says_where_it_is_not_unique(normalised):
    """"Unique but for mirrors" is said where three eigenvalues differ, for every edge that can be clicked."""
    _, update = built(nodes.own_coordinates)
    for node, other in itertools.combinations(range(8), 2):
        first, second, third = laplacian_encoding(nodes.edited_path(node, other), 3, normalised)[0]
        unique = second - first > 1e-6 and third - second > 1e-6
        assert ("unique but for mirrors" in update(node=node, other=other, normalised=normalised)) == unique, (node, other)
    cut = update(node=2, other=3, normalised=True)
    assert "0.293 and 1.000, and a third is equal to the second: its vector is one of many." in cut


def test_the_end_of_a_normalised_path_is_not_its_farthest_node():
    """The third mission's answer"""
    plain, normalised = (abs(laplacian_encoding(nodes.graph(8, nodes.PATH), 1, normalised)[1][:2, 0]).round(2) for normalised in (False, True))
    assert plain.tolist() == [0.49, 0.42] and normalised.tolist() == [0.38, 0.48]


def test_a_click_on_a_cell_joins_or_cuts():
    assert (nodes.edited_path(2, 2) == nodes.graph(8, nodes.PATH)).all()
    assert nodes.edited_path(0, 7).sum() == 16 and nodes.edited_path(4, 3).sum() == 12
    assert (nodes.edited_path(6, 1) == nodes.edited_path(1, 6)).all()


def test_every_setting_shows():
    assert unseen(figures.similar_patches, {"row": 2, "column": 3, "encoding": "axial rotary"}, [{"row": 1}, {"column": 1}, {"encoding": "mixed rotary"}]) == []
    assert unseen(figures.numbering, {"grid": "2 × 3", "rule": "row · columns + column"}, [{"grid": "3 × 3"}, {"rule": "row · rows + column"}]) == []
    assert unseen(figures.resized_table, {"new": 4, "pattern": "a slope"}, [{"new": 5}, {"pattern": "one patch"}]) == []
    assert unseen(nodes.distances, {"query": 0}, [{"query": 5}]) == []
    assert unseen(nodes.waves, {"m": 1}, [{"m": 2}]) == []
    assert unseen(nodes.turned_pair, {"turn": 0, "second": 1}, [{"turn": 5}, {"second": -1}]) == []
    assert unseen(nodes.own_coordinates, {"node": 0, "other": 4, "normalised": False}, [{"node": 2}, {"other": 5}, {"normalised": True}]) == []
