"""Records (``ir/record.py``): what ``attrs.frozen`` promises, they keep, at less cost."""

import copy
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from inspect import signature
from typing import Generic, TypeVar

import attrs
import pytest
from attrs import field
from attrs.exceptions import FrozenInstanceError

from funmem.ir import record as records

T = TypeVar("T")


@records.frozen
class Point:
    x: int
    y: int = 2
    at: str = field(default="here", eq=False, repr=False)


@records.frozen
class Cell(Point):
    """Has the fields of Point, and one more."""

    parts: list[int] = field(factory=list)


@records.frozen
class Box(Generic[T]):
    content: T
    _label: str = ""

    def shown(self) -> str:
        return f"{self._label}: {self.content}"


@records.frozen
class Circle:
    radius: float = field(converter=float)
    area: float = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "area", 3 * self.radius**2)


@records.frozen
class Word:
    text: str = field(eq=str.lower)
    length: int = field(init=False, default=attrs.Factory(lambda w: len(w.text), takes_self=True))


@records.frozen(eq=False)
class Node:
    value: int


class Plain:
    """The body of a record, for both decorators."""

    a: int
    b: str = "b"
    c: tuple[int, ...] = ()
    d: list[int] = field(factory=list)
    e: int = field(default=5, repr=False)


OURS = records.frozen(type("Plain", (), dict(vars(Plain), __slots__=())))
THEIRS = attrs.frozen(type("Plain", (), dict(vars(Plain))))


@pytest.mark.parametrize(
    "args",
    [
        lambda c: c(1),
        lambda c: c(1, "x", (2,), [3], 4),
        lambda c: c(a=1, e=7, d=[]),
        lambda c: c(1, c=(1, 2)),
        lambda c: c(),
        lambda c: c(1, 2, 3, 4, 5, 6),
        lambda c: c(1, a=1),
        lambda c: c(1, z=1),
    ],
)
def test_arguments_mean_what_they_mean_to_attrs(args: Callable[[type], object]) -> None:
    def made(cls: type) -> tuple[object, ...] | type:
        try:
            record = args(cls)
        except TypeError:
            return TypeError
        return repr(record), attrs.asdict(record), attrs.astuple(record)

    assert made(OURS) == made(THEIRS)


def test_the_signature_is_that_of_attrs() -> None:
    """Editors and ``help`` show it, though it is compiled only then."""
    ours, theirs = signature(OURS), signature(THEIRS)
    assert list(ours.parameters) == list(theirs.parameters)
    for name, p in ours.parameters.items():
        assert p.annotation == theirs.parameters[name].annotation
        assert p.kind is theirs.parameters[name].kind
    assert ours.return_annotation is theirs.return_annotation


def test_defaults_are_fresh() -> None:
    one, two = Cell(1), Cell(1)
    assert one == two
    assert one.parts is not two.parts
    assert Cell(1, 3, "there", [4]).parts == [4]


def test_fields_are_compared_or_not() -> None:
    assert Point(1, at="a") == Point(1, at="b")
    assert hash(Point(1, at="a")) == hash(Point(1, at="b"))
    assert Point(1) != Point(2)
    assert Point(1) != Cell(1)
    assert Word("Abc") == Word("aBC")
    assert hash(Word("Abc")) == hash(Word("aBC"))
    assert Word("Abc").length == 3
    assert Node(1) != Node(1)
    assert len({Node(1), Node(1)}) == 2


def test_representation() -> None:
    assert repr(Cell(1, at="x")) == "Cell(x=1, y=2, parts=[])"
    assert repr(Circle(2)) == "Circle(radius=2.0, area=12.0)"


def test_nothing_changes() -> None:
    point = Point(1)
    with pytest.raises(FrozenInstanceError):
        point.x = 3  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 3  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")
    assert point == Point(1)


@contextmanager
def in_context() -> Iterator[None]:
    yield


@records.frozen
class Refused(Exception):
    why: str


def test_exceptions_are_raised_again() -> None:
    """Who passes one on says where it came from; its fields stay."""
    refused, cause = Refused("x"), KeyError()
    with suppress(Refused), in_context():  # which sets the traceback
        raise refused
    refused.__cause__ = cause
    assert refused.__cause__ is cause
    with pytest.raises(FrozenInstanceError):
        refused.why = "z"  # type: ignore[misc]


def test_private_fields_and_methods() -> None:
    box = Box(1, label="a")
    assert box.shown() == "a: 1"
    assert records.evolve(box, label="b").shown() == "b: 1"
    assert attrs.evolve(box, content=2).shown() == "a: 2"


@pytest.mark.parametrize(
    "record", [Point(1), Cell(1, 2, "x", [3]), Box("s"), Circle(1), Word("w")], ids=repr
)
def test_copies_are_equal(record: object) -> None:
    """Campaigns send records from one process to another."""
    for again in (
        copy.copy(record),
        copy.deepcopy(record),
        *(pickle.loads(pickle.dumps(record, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    ):
        assert again == record
        assert attrs.astuple(again) == attrs.astuple(record)


@records.define
class Counter:
    name: str
    count: int = 0
    seen: set[int] = field(factory=set)


@records.define(eq=False)
class State:
    last: int = -1


def test_records_that_change() -> None:
    counter = Counter("a")
    counter.count += 1
    counter.seen.add(1)
    assert counter == Counter("a", 1, {1})
    assert Counter("a").seen == set()
    with pytest.raises(AttributeError):
        counter.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)
    assert copy.deepcopy(counter) == counter
    assert repr(counter) == "Counter(name='a', count=1, seen={1})"


def test_changing_records_that_are_compared_by_identity() -> None:
    one, two = State(3), State(3)
    one.last = 4
    assert len({one, two}) == 2
    assert attrs.asdict(two) == {"last": 3}


@records.frozen
class Square:
    side: int

    @cached_property
    def area(self) -> list[int]:
        return [self.side**2]


def test_what_is_computed_once_is_no_field() -> None:
    square = Square(3)
    assert square.area is square.area
    assert square == Square(3)
    assert pickle.loads(pickle.dumps(square)).area == [9]
    with pytest.raises(FrozenInstanceError):
        square.side = 4  # type: ignore[misc]


def test_patterns() -> None:
    match Cell(1, 2, "x", [3]):
        case Cell(x, y, at, parts):
            assert (x, y, at, parts) == (1, 2, "x", [3])
    match Circle(1):
        case Circle(radius):
            assert radius == 1
    assert Circle.__match_args__ == ("radius",)


def test_weak_references() -> None:
    cell = Cell(1)
    assert weakref.ref(cell)() is cell
    assert "__weakref__" not in vars(Cell), "it has that of Point"


def test_attrs_sees_records() -> None:
    assert attrs.has(Cell)
    assert [f.name for f in attrs.fields(Cell)] == ["x", "y", "at", "parts"]
    assert [f.type for f in attrs.fields(Point)] == [int, int, str]


def test_fields_without_a_default_come_first() -> None:
    with pytest.raises(ValueError, match="Wrong: `b` has no default, `a` has"):
        records.frozen(type("Wrong", (), {"__annotations__": {"a": int, "b": int}, "a": 1}))


@pytest.mark.parametrize(
    "option",
    [
        field(validator=attrs.validators.instance_of(int)),
        field(kw_only=True),
        field(alias="b"),
        field(on_setattr=attrs.setters.NO_OP),
    ],
)
def test_options_that_records_do_not_have(option: object) -> None:
    """An option that is not respected would be a trap."""
    with pytest.raises(TypeError, match="field `a`: a record's field has no such option"):
        records.frozen(type("Wrong", (), {"__annotations__": {"a": int}, "a": option}))


def test_constructors_are_compiled_when_they_are_used() -> None:
    """Half of the classes of a compiler are not needed for a program."""
    text = "\n".join(
        (
            "from funmem.ir import fun",
            "from funmem.ir.fun import Bin, Kernel, Var",
            "from funmem.ir.names import Name",
            "before = type(vars(Bin)['__init__']).__name__",
            "Bin(None, None, None)",
            "after = type(vars(Bin)['__init__']).__name__",
            "print(before, after, type(vars(Kernel)['__init__']).__name__)",
        )
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["_Init", "function", "_Init"]
