"""What a compiler says about a program and its arguments, and how two such answers differ."""

import re
from enum import Enum
from typing import TypeAlias

from attrs import frozen

from funmem.ir.values import Data
from funmem.suite.values import mismatch


@frozen
class Refused:
    """The program is not accepted."""

    message: str
    unsupported: bool = False


@frozen(eq=False)
class Results:
    """The values."""

    values: tuple[Data, ...]


@frozen
class Failed:
    """A run-time error."""

    message: str
    places: tuple[str, ...] = ()
    """``line:column`` of where it happened and of the calls that led there, as far as known."""


@frozen
class TookTooLong:
    """No answer in time."""


@frozen
class Crashed:
    """A fault of our compiler: a traceback."""

    message: str


Outcome: TypeAlias = Refused | Results | Failed | TookTooLong | Crashed


class Kind(Enum):
    """How two outcomes differ; the value is what a report calls it."""

    CRASH = "we crash"
    WE_REFUSE = "we refuse what Futhark accepts"
    THEY_FAIL = "Futhark's compiler fails"
    THEY_REFUSE = "we accept what Futhark refuses"
    RESULT = "another result"
    WE_TRAP = "we trap, Futhark does not"
    THEY_TRAP = "Futhark traps, we do not"
    MESSAGE = "another run-time error"
    TIME = "no answer in time"


@frozen
class Difference:
    """A difference, in words."""

    kind: Kind
    what: str
    known: str = ""
    """Why it is none of ours, if that is known."""


def compare(theirs: Outcome, ours: Outcome) -> Difference | None:
    """None if the outcomes agree: both refuse; equal results up to rounding; the same error."""
    match theirs, ours:
        case _, Crashed(message):
            return Difference(Kind.CRASH, message)
        case Refused(), Refused():
            return None
        case Refused(message), _:
            internal = "Internal compiler error" in message
            return Difference(Kind.THEY_FAIL if internal else Kind.THEY_REFUSE, message)
        case _, Refused(message):
            return Difference(Kind.WE_REFUSE, message)
        case (TookTooLong(), _) | (_, TookTooLong()):
            who = "Futhark" if isinstance(theirs, TookTooLong) else "funmem"
            return Difference(Kind.TIME, f"{who} gives no answer")
        case Failed("", where), Failed(_, places) if set(where) & set(places):
            return None
        case Failed(a), Failed(b):
            return None if essence(a) == essence(b) else Difference(Kind.MESSAGE, f"`{a}` / `{b}`")
        case Failed(a), Results():
            return Difference(Kind.THEY_TRAP, a)
        case Results(), Failed(b):
            return Difference(Kind.WE_TRAP, b)
        case Results(xs), Results(ys):
            found = mismatch([(x, None) for x in xs], [(y, None) for y in ys])
            return None if found is None else Difference(Kind.RESULT, found.what)
        case _:
            raise AssertionError((theirs, ours))


INDEX = re.compile(r"Index \[(.*)\] out of bounds for array of shape \[(.*)\]\.")


def essence(message: str) -> str:
    """A message without what is one compiler's phrasing: layout, quotes, the source it quotes."""
    text = " ".join(message.split())
    if (m := INDEX.fullmatch(text)) is not None:
        return _index_essence(m[1].split(", "), m[2].split("]["))
    return re.sub(r"^Assertion is false: .*", "Assertion is false", text)


def _index_essence(dims: list[str], shape: list[str]) -> str:
    """What an index is, with one spelling of whole dimensions; those at the end are left out.

    ``xss[:, 7]`` is `[:, 7]` to one, `[0:, 7]` or `[0:3, 7]` to another, ``xss[::-1, 7]`` `[, 7]`.
    """
    for k, (d, n) in enumerate(zip(dims, shape, strict=False)):
        if d in ("0:", f"0:{n}", ":"):
            dims[k] = ":"
        elif n.isdigit() and d in ("", f"{int(n) - 1}:-1:-1", "::-1"):
            dims[k] = "::-1"
    while len(dims) > 1 and dims[-1] == ":":
        dims = dims[:-1]
    return f"Index [{', '.join(dims)}] of [{']['.join(shape[: len(dims)])}]"
