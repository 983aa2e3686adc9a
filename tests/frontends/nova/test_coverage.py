"""Every form, type and built-in of the grammar has a program that uses it, and one that misuses it.

The words are those of the front end's own tables, so a new one is reported here until it has both.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import pytest

from funmem.frontends.nova.builtins import BUILT_INS, SPECIAL
from funmem.frontends.nova.program import to_core
from funmem.frontends.nova.tokens import ATOM, KEYWORDS, PUNCTUATION
from funmem.ir.diagnostics import SourceError
from tests.frontends.nova.programs import ACCEPTED, REJECTED

FORMS: Mapping[str, tuple[str, ...]] = {
    "if": ("syntax_if", "type_condition", "type_if"),
    "case": ("syntax_case", "case_missing", "type_case"),
    "let": ("syntax_let", "name_before"),
    "lambda": ("syntax_lambda", "type_lambda"),
    "mu": ("syntax_mu", "mu_value", "type_mu"),
    "true": ("type_true",),
    "false": ("type_true",),
    "nil": ("ambiguous_constructor",),
    "types": ("syntax_two_sections", "name_two_types", "type_cyclic"),
    "foreign": ("foreign_name", "foreign_value"),
    "!": ("type_element", "type_matrix_index"),
    ".": ("syntax_access", "type_not_a_tuple", "type_tuple_index"),
    ",": ("syntax_tuple", "simple_tuple"),
    "->": ("simple_input", "foreign_function"),
    ":": ("syntax_type", "type_annotation"),
}
"""A form, by the word that begins it -> rejected programs."""

INSIDE = frozenset(["then", "else", "in"])
"""Words inside of other forms."""

TYPES: Mapping[str, tuple[str, ...]] = {
    "int": ("type_true", "built_in_logic"),
    "int32": ("type_int16",),
    "int16": ("type_int16",),
    "int8": ("type_number_range",),
    "float": ("type_double", "type_annotation"),
    "double": ("type_double",),
    "bool": ("type_lambda",),
    "unit": ("case_missing",),
    "vector": ("simple_vector",),
    "vector#2": ("built_in_map_rank", "ambiguous_rank"),
    "'a": ("type_occurs", "name_type_parameter"),
}


@cache
def words(path: Path) -> frozenset[str]:
    text = re.sub(";.*", "", path.read_text(encoding="utf-8"))
    return frozenset(ATOM.findall(text))


def unused(wanted: Iterable[str]) -> set[str]:
    """The words that no accepted program has."""
    return set(wanted) - frozenset[str]().union(*map(words, ACCEPTED))


def test_everything_is_used() -> None:
    assert unused([*BUILT_INS, *SPECIAL]) == set()
    assert unused([*FORMS, *INSIDE, *TYPES]) == set()
    assert FORMS.keys() | INSIDE == KEYWORDS | PUNCTUATION


@pytest.mark.parametrize("table", [FORMS, TYPES], ids=["forms", "types"])
def test_every_form_is_misused(table: Mapping[str, tuple[str, ...]]) -> None:
    programs = {p.stem: p for p in REJECTED}
    for word, names in table.items():
        assert [x for x in names if word not in words(programs[x])] == [], word


def misuse(name: str) -> str:
    """A unit is no number, vector or function; but it can be compared, and functions cannot."""
    argument = "(lambda (x : int) x)" if name in BUILT_INS and BUILT_INS[name].eq else "nil"
    return f"()\n({name} {argument})"


def test_every_built_in_is_misused() -> None:
    """The error is one of types, in the line of the built-in."""
    for name in (*BUILT_INS, *SPECIAL):
        with pytest.raises(SourceError) as caught:
            to_core(misuse(name), "t.nova")
        d = caught.value.diagnostic
        assert (name, d.code, d.at.line) == (name, "nova-type", 2)
