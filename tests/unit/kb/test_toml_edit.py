"""Small edits leave all other bytes alone, or are not made."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.toml_edit import NotEdited, append_tables, replace_table, set_in

FILE = """\
schema = 1  # of the file
id     = "torn"

[[affected]]
component  = "engine"
introduced = "1.0.0"  # seen by bisecting

# the second one
[[affected]]
component = "other"

[[fix]]
kind  = "commit"
state = "merged"   # waits for a release
all   = ["acme/engine#7"]
"""


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    made = set_in(FILE, "fix", 0, "state", '"released"')
    assert made == FILE.replace('"merged"   # waits', '"released"   # waits')


def test_a_missing_key_becomes_the_last_line_of_its_table_and_is_aligned() -> None:
    made = set_in(FILE, "affected", 0, "fixed", '"1.0.1"')
    assert made == FILE.replace("# seen by bisecting\n", '# seen by bisecting\nfixed      = "1.0.1"\n')
    assert 'component = "other"\nfixed     = "2.0.0"\n\n[[fix]]' in set_in(FILE, "affected", 1, "fixed", '"2.0.0"')
    assert set_in(FILE, "fix", 0, "merged", "2026-06-02").endswith('#7"]\nmerged = 2026-06-02\n')


def test_a_table_is_replaced_and_others_stay_where_they_are() -> None:
    made = replace_table(FILE, "fix", 0, '[[ruled_out]]\nclaim = "x"\nref   = "y"\n')
    assert made.startswith(FILE.partition("[[fix]]")[0])
    assert tomllib.loads(made)["ruled_out"] == [{"claim": "x", "ref": "y"}]
    assert "fix" not in tomllib.loads(made)


def test_tables_are_appended_after_one_empty_line() -> None:
    assert append_tables(FILE, '[[layout]]\ntag = "x{version}"\n') == f'{FILE}\n[[layout]]\ntag = "x{{version}}"\n'


@pytest.mark.parametrize(
    "text",
    [
        '[[fix]]\nstate = """\nmerged"""\n',  # a value of several lines
        'x = """\n[[fix]]\nstate = "merged"\n"""\n[[fix]]\nstate = "merged"\n',  # a header inside a text
        "[[fix]]\nstate = 'it''s",
        "fix = [{ state = 'merged' }]\n",
        "",
    ],
)
def test_a_file_of_another_shape_is_not_edited(text: str) -> None:
    with pytest.raises(NotEdited):
        set_in(text, "fix", 0, "state", '"released"')


@given(st.text(alphabet="[]fix=\n\"# ast'", max_size=60))
def test_whatever_the_file_an_edit_means_one_key_or_is_not_made(text: str) -> None:
    try:
        made = set_in(text, "fix", 0, "state", '"released"')
    except NotEdited:
        return
    before, after = tomllib.loads(text), tomllib.loads(made)
    before["fix"][0]["state"] = "released"
    assert before == after
