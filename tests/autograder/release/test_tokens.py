"""Lines as tokens, and lines found again."""

import builtins
import io
import keyword
import tokenize
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from autograder.release.patterns import MIN_LIVE_WEIGHT, Patterns
from autograder.release.prose import MIN_WORDS, RUN_WORDS, Prose
from autograder.release.tokens import code_tokens, lex, lines_of_tokens

PACKAGE = Path(__file__).parents[3] / "autograder"
VOCABULARY = frozenset({"torch"})
LINE = "scores = torch.einsum('bd,bnd->bn', q, keys) / torch.sqrt(scale + q.shape[-1] * scale)"


def texts(source: str) -> list[str]:
    return [token.text for token in code_tokens(source)]


class TestLexer:
    @pytest.mark.parametrize("path", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.name)
    def test_agrees_with_pythons_own_where_no_string_is_about(self, path: Path) -> None:
        source = path.read_text()
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
        plain = {tokenize.NAME, tokenize.OP, tokenize.NUMBER, tokenize.COMMENT, tokenize.NEWLINE, tokenize.NL}
        stringy = {
            number
            for token in tokens
            if token.type not in {*plain, tokenize.INDENT, tokenize.DEDENT}
            for number in range(token.start[0], token.end[0] + 1)
        }
        theirs = [
            (token.string, token.start[0])
            for token in tokens
            if token.type in {tokenize.NAME, tokenize.OP} and token.start[0] not in stringy
        ]
        ours = [
            (token.text, token.line)
            for token in lex(source)
            if token.kind in {"name", "op"} and token.line not in stringy
        ]

        assert ours == theirs

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("x = 'a b'", 'x="a b"'),
            ("x = 'a b'", "x = '''a b'''"),
            (r"x = 'it\'s'", 'x = "it\'s"'),
            (r"x = 'a\nb'", "x = '''a\nb'''"),
            ("x = 60_000", "x = 60000"),
            ("x = 1e-3", "x = 0.001"),
            ("f(a,\n  b)", "f(a, b)"),
            ("x = 1  # why", "x = 1"),
        ],
    )
    def test_spelling_is_no_difference(self, one: str, other: str) -> None:
        assert texts(one) == texts(other)

    @pytest.mark.parametrize(
        ("one", "other"), [("x = 'a'", "x = a"), ("a - b", "a -b - c"), (r"r'\n'", r"'\n'"), ("0x10", "0x11")]
    )
    def test_what_differs_differs(self, one: str, other: str) -> None:
        assert [token[:2] for token in code_tokens(one)] != [token[:2] for token in code_tokens(other)]

    @given(st.text())
    def test_no_text_is_too_odd(self, text: str) -> None:
        tokens = list(lex(text))

        assert all(1 <= token.line <= text.count("\n") + 1 for token in tokens)

    def test_a_statement_of_several_lines_comes_whole_too(self) -> None:
        found = [" ".join(token.text for token in line) for line in lines_of_tokens("x = f(\n  a,  # first\n)\ny\n")]

        assert found == ["x = f (", "a ,", ")", "x = f ( a , )", "y"]


def found(line: str, text: str, weight: int = 0) -> list[bool]:
    patterns = Patterns([("it", code_tokens(line))], VOCABULARY)
    return [match.renamed for match in patterns.matches(code_tokens(text), weight)]


NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and name not in {"torch", "self", *dir(builtins)}
)


class TestPatterns:
    @given(NAMES, NAMES, NAMES, NAMES)
    def test_any_renaming_is_found(self, scores: str, q: str, keys: str, scale: str) -> None:
        assume(len({scores, q, keys, scale}) == 4)
        text = f"{scores}=torch.einsum('bd,bnd->bn',{q},{keys})/torch.sqrt({scale}+{q}.shape[-1]*{scale})"

        assert found(LINE, f"if a: {text}; b = 1", MIN_LIVE_WEIGHT)

    @pytest.mark.parametrize(
        "text",
        [
            LINE.replace("q.shape", "keys.shape"),
            LINE.replace("einsum", "matmul"),
            LINE.replace("bnd->bn", "bnd->b"),
            LINE.replace("-1", "-2"),
            LINE.replace("torch", "np"),
            LINE.replace(" / ", " * "),
        ],
        ids=["names not one for one", "another attribute", "another string", "another number", "library", "operator"],
    )
    def test_another_line_is_not(self, text: str) -> None:
        assert found(LINE, text) == []

    def test_what_it_returns_is_found_where_it_is_assigned(self) -> None:
        assert found(LINE.replace("scores =", "return"), LINE) == [False]

    def test_names_of_arguments_are_not_renamed(self) -> None:
        line = "out = torch.softmax(rows * torch.tensor([0.5, 3.0]), dim=axis)"

        assert found(line, line.replace("axis", "a")) == [True]
        assert found(line, line.replace("dim", "d")) == []

    def test_attributes_of_self_are_renamed(self) -> None:
        line = "self.queries = torch.nn.Linear(hidden, 64, bias=False)"

        assert found(line, line.replace("queries", "W_Q")) == [True]
        assert found(line.replace("self", "other"), line.replace("self.queries", "other.W_Q")) == []

    @pytest.mark.parametrize("line", ["return x", "x = y", "x", "pass", "x += 1", "(", "for x in y:"])
    def test_what_every_program_holds_is_not_looked_for(self, line: str) -> None:
        assert found(line, line) == []


class TestProse:
    WORDS = " ".join(f"w{number}" for number in range(20))

    def said(self, secret: str, text: str) -> list[tuple[str, int]]:
        return list(Prose([("it", secret)]).found_in(text))

    def test_a_run_of_a_long_sentence_is_enough(self) -> None:
        words = self.WORDS.split()

        assert self.said(self.WORDS, " ".join(words[3 : 3 + RUN_WORDS]))
        assert not self.said(self.WORDS, " ".join(words[3 : 2 + RUN_WORDS]))

    def test_a_short_sentence_has_to_be_there_whole(self) -> None:
        words = self.WORDS.split()[:MIN_WORDS]

        assert self.said(" ".join(words), "so: " + " ".join(words).upper() + "!")
        assert not self.said(" ".join(words), " ".join(words[1:]))
        assert not self.said(" ".join(words[1:]), " ".join(words))

    def test_words_of_two_sentences_are_no_sentence(self) -> None:
        words = self.WORDS.split()

        assert not self.said(" ".join(words[:5]) + ". " + " ".join(words[5:10]), " ".join(words[:10]))

    def test_the_line_is_where_it_begins(self) -> None:
        assert self.said(self.WORDS, f"one\ntwo\n{self.WORDS}") == [("it", 3)]
