"""All producers of expressions, with their weights."""

from funmem.ir.scalars import BOOL, ScalarType
from funmem.testing.fut_generator import arrays, control, functional, scalars
from funmem.testing.fut_generator.generator import FutProducer
from funmem.testing.fut_generator.types import Arr, Rec, Sum, Tup, Type


def _is_bool(t: Type) -> bool:
    return t is BOOL


def _is_float(t: Type) -> bool:
    return isinstance(t, ScalarType) and t.is_float


def _is_scalar(t: Type) -> bool:
    return isinstance(t, ScalarType)


def _is_compound(t: Type) -> bool:
    return isinstance(t, Tup | Rec)


def _is_sum(t: Type) -> bool:
    return isinstance(t, Sum)


def _is_signed(t: Type) -> bool:
    return isinstance(t, ScalarType) and t.is_int and t.min < 0


def _has_range(t: Type) -> bool:
    return arrays.is_any(t) and isinstance(t, Arr) and _is_signed(t.elem)


PRODUCERS = (
    FutProducer("infix", 4, scalars.infix, scalars.is_number),
    FutProducer("divide", 1, scalars.divide, scalars.is_int),
    FutProducer("remainder", 0.5, scalars.remainder, _is_float),
    FutProducer("power", 0.5, scalars.power, scalars.is_number),
    FutProducer("shift", 0.5, scalars.shift, scalars.is_int),
    FutProducer("negate", 0.7, scalars.negate, scalars.is_number),
    FutProducer("compare", 4, scalars.compare, _is_bool),
    FutProducer("connect", 1.5, scalars.connect, _is_bool),
    FutProducer("member", 3, scalars.member, _is_scalar),
    FutProducer("index", 2.5, arrays.index, functional.is_value),
    FutProducer("component", 2, arrays.component, functional.is_value),
    FutProducer("compound", 5, arrays.compound, _is_compound),
    FutProducer("construct", 5, control.construct, _is_sum),
    FutProducer("projected", 4, arrays.projected, arrays.is_array),
    FutProducer("slice", 3, arrays.slice_, arrays.is_any),
    FutProducer("column", 1.5, arrays.column, arrays.is_array),
    FutProducer("sliced", 0.7, arrays.sliced, arrays.is_sized),
    FutProducer("part", 1, arrays.part, arrays.is_any),
    FutProducer("literal", 1, arrays.literal, arrays.is_array),
    FutProducer("range", 3, arrays.range_, _has_range),
    FutProducer("tabulate", 2, arrays.tabulate, arrays.is_array),
    FutProducer("tabulate_2d", 1, arrays.tabulate_2d, arrays.is_array),
    FutProducer("update", 1, arrays.update, arrays.is_array),
    FutProducer("call", 4, functional.call, functional.is_value),
    FutProducer("local", 4, control.apply_local, functional.is_value),
    FutProducer("let", 2, control.let, functional.is_value),
    FutProducer("if", 1, control.if_, functional.is_value),
    FutProducer("match", 0.7, control.match_, functional.is_value),
    FutProducer("loop", 0.8, control.loop, functional.is_value),
    FutProducer("iterate", 0.3, control.iterate, functional.is_value),
    FutProducer("attribute", 0.05, arrays.attribute, functional.is_value),
    FutProducer("assert", 0.15, control.assert_, functional.is_value),
    FutProducer("lambda", 5, functional.lambda_, functional.is_function),
    FutProducer("section", 8, functional.section, functional.is_function),
    FutProducer("module function", 1, functional.module_function, functional.is_function),
    FutProducer("partial", 1.2, functional.partial, functional.is_function),
)
