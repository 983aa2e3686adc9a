"""Show types in messages."""

import re
from collections.abc import Mapping

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.typing import Bound
from funmem.frontends.inference.types import Array, Arrow, Meta, Opaque, Record, Rigid, Sum, Type
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size


def show(t: Type, tight: bool = False) -> str:
    """Return ``t`` as a type expression; ``tight``: in parentheses unless it is an atom."""
    match t:
        case ScalarType():
            return str(t.value)
        case Rigid(name):
            return name
        case Meta():
            return "_"
        case Opaque(hidden, args):
            text = " ".join([hidden.text, *(show(a, tight=True) for a in args)])
            return f"({text})" if tight and args else text
        case Array(elem, size):
            return f"[{show_size(size)}]{show(elem, tight=True)}"
        case Record(fields):
            if is_tuple(t):
                return "(" + ", ".join(show(f) for _, f in fields) + ")"
            return "{" + ", ".join(f"{label}: {show(f)}" for label, f in fields) + "}"
        case Sum(constructors):
            text = " | ".join(
                " ".join([f"#{name}", *(show(a, tight=True) for a in args)])
                for name, args in constructors
            )
            return f"({text})" if tight else text
        case Arrow(param, result):
            star, fresh = "*" if t.consumes else "", "*" if t.fresh else ""
            left = f"{star}{show(param, tight=isinstance(param, Arrow | Sum))}"
            if t.name is not None:
                left = f"({t.name}: {left})"
            exists = "".join(f"[{n}]" for n in t.exists)
            right = show(result, tight=isinstance(result, Sum) and bool(fresh))
            text = f"{left} -> {f'?{exists}.' if exists else ''}{fresh}{right}"
            return f"({text})" if tight else text


def show_size(size: Size | None) -> str:
    """Return the text between the brackets of an array type."""
    return "" if size is None else str(size)


def is_tuple(t: Record) -> bool:
    """True if the labels are 0, 1, …; a record with one field is not a tuple."""
    return len(t.fields) != 1 and all(label == str(k) for k, (label, _) in enumerate(t.fields))


class Spelling:
    """Replaces unique names by the names in the program, and generated ones by ``_``."""

    def __init__(self, names: Mapping[ast.PVar | Bound, Name]) -> None:
        self.source = {
            unique: key.name if isinstance(key, ast.PVar) else key[1]
            for key, unique in names.items()
        }

    def __call__(self, *texts: str) -> tuple[str, ...]:
        """Respell texts for messages; texts that differ stay different."""
        spelled = tuple(_WORD.sub(self._word, t) for t in texts)
        if len(set(spelled)) < len(set(texts)):
            return tuple(_WORD.sub(_anonymous, t) for t in texts)
        return spelled

    def _word(self, found: re.Match[str]) -> str:
        return self.source.get(Name(found.group()), _anonymous(found))


_WORD = re.compile(r"\?\d+|\??[A-Za-z_][A-Za-z0-9_']*")


def _anonymous(found: re.Match[str]) -> str:
    word = found.group()
    return word if word[0] != "?" else "_" if word[1].isdigit() else word[1:]
