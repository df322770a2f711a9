"""docs/claims.md against the notebooks and the tests."""

import re
from pathlib import Path

import claims
import notebook_rules
import notebooks
import pytest
from notebook_kit import CHAPTERS


def stated():
    """Claim -> the chapter (the first digits of the notebook's name) that states it."""
    return {claim: int(path.stem[:2]) for path in CHAPTERS for claim in notebook_rules.claims_in_prose(notebooks.read(path))}


def named_in_tests():
    files = set(Path(__file__).parent.glob("test_*.py")) - {Path(__file__), Path(__file__).with_name("test_notebooks.py")}     # specimens
    return {claim for path in files for claim in claims.claims(path.read_text(encoding="utf-8"))}


def complaints(listed, stated, tested):
    """What list, notebooks and tests do not agree about; listed: id -> (claim, state), stated: id -> chapter."""
    ready = {number for number, (_, state) in listed.items() if state.startswith("ready")}
    found = [f"claim {n} stands in chapter {stated[n]} and not in docs/claims.md" for n in stated if n not in listed]
    found += [f"claim {n} stands in chapter {stated[n]} and is not marked ready in docs/claims.md" for n in stated if n in listed and n not in ready]
    found += [f"claim {n} stands in chapter {chapter}, whose claims begin with {chapter}." for n, chapter in stated.items() if n.split(".")[0] != str(chapter)]
    found += [f"claim {n} is marked ready in docs/claims.md and no notebook states it" for n in ready if n not in stated]
    return sorted(found + [f"claim {n} is stated and no test names it" for n in stated if n not in tested])


def test_the_list_the_notebooks_and_the_tests_agree():
    assert complaints(claims.register(), stated(), named_in_tests()) == []


def test_no_id_is_skipped_in_a_chapter():
    """so that the next free id is the one after the last"""
    numbers = [tuple(map(int, number.split("."))) for number in claims.register()]
    assert numbers == sorted(numbers)
    assert all(last == (chapter, number - 1) for last, (chapter, number) in zip(numbers, numbers[1:]) if last[0] == chapter)


LISTED = {"1.1": ("So.", "ready"), "1.2": ("Or so.", "open: the model")}


@pytest.mark.parametrize("stated, tested, said", [
    ({"1.1": 1, "1.3": 1}, {"1.1", "1.3"}, "claim 1.3 stands in chapter 1 and not in docs/claims.md"),
    ({"1.1": 1, "1.2": 1}, {"1.1", "1.2"}, "claim 1.2 stands in chapter 1 and is not marked ready in docs/claims.md"),
    ({}, {"1.1"}, "claim 1.1 is marked ready in docs/claims.md and no notebook states it"),
    ({"1.1": 2}, {"1.1"}, "claim 1.1 stands in chapter 2, whose claims begin with 2."),
    ({"1.1": 1}, {"1.2"}, "claim 1.1 is stated and no test names it"),
])
def test_a_disagreement_is_named(stated, tested, said):
    assert complaints(LISTED, stated, tested) == [said]


def test_an_id_given_twice_is_named(monkeypatch, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "claims.md").write_text("| 1.1 | So. | ready |\n| 1.1 | Or so. | open |\n", encoding="utf-8")
    monkeypatch.setattr(claims, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"gives an id twice: 1\.1$"):
        claims.register()


@pytest.mark.parametrize("text, found", [
    ("<small>claim 6.2</small>", {"6.2"}), ("# claims 6.1, 6.2 and 6.4: holds", {"6.1", "6.2", "6.4"}), ("claims 6.1 to 6.4", {"6.1", "6.2", "6.3", "6.4"}),
    ("claims 6.1, 6.3, and 7.1", {"6.1", "6.3", "7.1"}), ("claim 3.2, and 3.1", {"3.1", "3.2"}), ("claim 12.2b", {"12.2b"}),
    ("claims 1.1 and 6.2 to 6.3 hold", {"1.1", "6.2", "6.3"}), ("version 6.2 and no claim; a claim of 6.2", set()), ("claim 6.20", {"6.20"}),
])
def test_lists_of_claims_are_read(text, found):
    assert claims.claims(text) == found


def test_the_places_of_a_claim_are_found_in_lists_as_well(capsys):
    assert claims.main(["6.2", "1.3"]) == 0
    said = capsys.readouterr().out
    for part in ("docs/claims.md:", "notebooks/06_pair_layouts.ipynb:", "tests/test_", "CHANGELOG.md:", "1.3  "):
        assert part in said
    assert re.search(r"CHANGELOG.md:\d+: .*claims 6\.1 to 6\.7", said)


def test_an_unknown_claim_is_named():
    assert "Not in docs/claims.md: 99.1" in claims.main(["1.1", "99.1"])
