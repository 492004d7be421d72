"""What a student wrote shows itself and does nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.plain import one_line, plain


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        pytest.param("\x1b[31mred\x1b[0m", "red", id="colours"),
        pytest.param("a\x1b[2J\x1b[1;1Hb", "ab", id="clear-screen"),
        pytest.param("\x1b]0;new title\x07text", "text", id="window-title"),
        pytest.param("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link", id="hyperlink"),
        pytest.param("\x1b]52;c;cm0gLXJm", "", id="unfinished-clipboard"),
        pytest.param("\x9b31mred", "red", id="one-byte-csi"),
        pytest.param("\x1bcgone", "gone", id="reset"),
        pytest.param("abc\x1b", "abc\\u001b", id="lone-escape"),
        pytest.param("score 3\x08\x08\x0810", "score 3\\u0008\\u0008\\u000810", id="backspaces"),
        pytest.param("full\rzero", "full\nzero", id="carriage-return"),
        pytest.param("a\u2028b", "a\nb", id="line-separator"),
        pytest.param("\u202egnorw\u202c", "\\u202egnorw\\u202c", id="right-to-left-override"),
        pytest.param("0\u200b8", "0\\u200b8", id="zero-width-space"),
        pytest.param("\ud800", "\\ud800", id="lone-surrogate"),
        pytest.param("\U000e0041", "\\ue0041", id="invisible-tag-letter"),
        pytest.param("a" + "\u0335" * 50, "a" + "\u0335" * 3, id="stacked-marks"),
    ],
)
def test_what_would_act_is_dropped_or_written_out(hostile: str, harmless: str) -> None:
    assert plain(hostile) == harmless


@pytest.mark.parametrize(
    "text", ["two\nlines\tand a tab", "žluťoučký кот 猫 مرحبا", "x < y && y > z", "[bold]not markup[/bold]"]
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_a_long_text_keeps_its_head_and_its_tail() -> None:
    cut = plain("head" + "x" * 100_000 + "tail", most=1_000)

    assert cut.startswith("head")
    assert cut.endswith("tail")
    assert "99,008 characters left out" in cut
    assert len(cut) < 1_100


def test_one_line_is_one_line_of_at_most_so_many_characters() -> None:
    assert one_line("a\n\n  b\tc") == "a b c"
    assert one_line("word " * 100, most=20) == "word word word word…"


@given(st.text(alphabet=st.characters(), max_size=200))
def test_whatever_comes_in_no_control_character_comes_out(text: str) -> None:
    result = plain(text)

    result.encode()  # raises where a lone surrogate is left
    assert not any(
        ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in result if character not in "\n\t"
    )
