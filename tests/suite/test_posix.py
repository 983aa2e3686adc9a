"""POSIX regular expressions: the tables were compared with the compiler whose tests they are."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.suite.posix import posix

SAID = (
    "Error: Index [8] out of bounds for array of shape [3].\n\nBacktrace:\n-> #0  m.fut:5:20-32\n"
)

MATCHING = [
    "Index",
    "^Error",
    "Index [[]8] out",
    r"shape \[3\]\.",
    "[[:digit:]]+-[[:digit:]]{2}",
    "[[:upper:]][[:lower:]]+: ",
    "[^[:alpha:]]#0",
    "a{2}y|r{2}a",
    "(out|in) (of )+bounds",
    "()",
    "x{0}Index",
    "s.*Back",  # a dot is also the end of a line
    "[[:space:]]{2}Back",
    "[^a]{2}Backtrace",
    r"\]\.$",  # the end of a line
    ".^Backtrace",  # its beginning
    "^nothing|of",
    "[]8[]",
    "[8-9]",
    "[-#]>",
    "[#-]>",
    "[[.8.]]",
    "[[=8=]]",
    r"[\]",  # in brackets a backslash is itself
    "{|Index",
    "}?Index",
    "E(r(r(o)))r",
    "Index [^ ]* out",
]
NOT_MATCHING = [
    "index",
    "^Index",
    "^Backtrace",  # what must begin with ^ begins the text
    "(^Index|^Backtrace)",
    "Error$",
    r"\d",  # the letter d … which is not followed by a digit
    r"Inde\x $",
    "[[:punct:]]{5}",
    "[^[:print:]]x",
    "Index.^out",
    "a{3}",
    "[[:digit:]]{3}",
]
WRONG = {
    "": "empty alternative",
    "a|": "empty alternative",
    "(|a)": "empty alternative",
    "(a": "`(` without `)`",
    "a)": "`)` without `(`",
    "[a": "`[` without `]`",
    "[]": "`[` without `]`",
    "*a": "`*` has nothing to repeat",
    "a**": "`*` has nothing to repeat",
    "a+?": "`?` has nothing to repeat",
    "(?:a)": "`?` has nothing to repeat",
    "(?=a)": "`?` has nothing to repeat",
    "{1}": "`{` has nothing to repeat",
    "a{2,1}": "is not a number of repetitions",
    "a{1,99999}": "is not a number of repetitions",
    "[z-a]": "the range `z-a` is empty",
    "[[:digits:]]": "there is no class `[:digits:]`; there is alnum,",
    "[[.ab.]]": "is not a single character",
    "\\": "`\\` at the end",
    "(" * 52 + ")" * 52: "groups are nested more than 50 deep",
    "(" * 5000: "groups are nested more than 50 deep",
}


@pytest.mark.parametrize("text", MATCHING)
def test_matches(text: str) -> None:
    if text == r"[\]":
        assert posix(text).search("a\\b")
    else:
        assert posix(text).search(SAID)


@pytest.mark.parametrize("text", NOT_MATCHING)
def test_does_not_match(text: str) -> None:
    subject = "Error: 8 bounDs" if text == r"\d" else SAID
    assert not posix(text).search(subject)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(WRONG[text])) as error:
        posix(text)
    assert re.search(r"\(character \d+ of the regular expression\)$", str(error.value))


@pytest.mark.parametrize("sign", list(".*[](){}|+?^$\\dwsbBAZnt1-&~"))
def test_a_backslash_takes_a_sign_literally(sign: str) -> None:
    assert posix(f"^\\{sign}$").search(sign)
    assert not posix(f"^\\{sign}$").search("x")


SIGNS = st.text("ab1-^$.*+?{}[]()|\\:= \n,", max_size=12)


@given(SIGNS, SIGNS)
def test_any_text_is_an_expression_or_a_clear_error(text: str, subject: str) -> None:
    try:
        pattern = posix(text)
    except ValueError:
        return
    pattern.search(subject)


@given(st.text(max_size=8))
def test_an_escaped_text_matches_itself(text: str) -> None:
    if text:
        assert posix("".join(f"\\{c}" for c in text)).search(f"before {text} after")
