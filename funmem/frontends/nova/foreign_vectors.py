"""NOVA's foreign functions on vectors: the C functions by which elements cross, one by one or in
one copy of the whole vector.

    (f : vector float -> int -> vector int)     void f(int *out_length, int **out,
                                                       int a0_length, const float *a0, int a1)

A vector argument is its length and a pointer, a vector result is allocated by the function with
``malloc`` and freed here (foreign_types.py has the other types).  The functions of a call
(``ir/foreign_arrays.py``) collect the elements in a record on the heap; its address is the handle.
What crosses are vectors of scalars, the *columns*.  A pointer of the user's function points to a
column where both have the same elements; else the vector is built of the columns, and taken apart.
"""

from collections.abc import Callable, Sequence

from attrs import field

from funmem.frontends.foreign import scalars
from funmem.frontends.nova.errors import Code, fail
from funmem.frontends.nova.foreign_types import (
    has_vectors,
    levels,
    member,
    members_of,
    natural,
    offset_suffixes,
)
from funmem.ir import core as c
from funmem.ir import foreign as names
from funmem.ir.core import ForeignDef, Type
from funmem.ir.foreign import C_TYPES, ArrayFunction, Part, symbol
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, ScalarType

_HELPERS = """\
#include <stdlib.h>
#include <string.h>
struct foreign_vector {{ long length, room, next; char *at; }};
struct foreign_held {{ struct foreign_held *rest; }};
struct foreign_call {{ struct foreign_held *held; struct foreign_vector in[{most}], out[{most}]; }};
static void *foreign_memory(long size)
{{
    void *const made = malloc(size ? size : 1);
    if (!made)
        abort();
    return made;
}}
static void foreign_append(struct foreign_vector *v, const void *x, long size)
{{
    if (v->length == v->room) {{
        v->room = 2 * v->room + 16;
        v->at = realloc(v->at, v->room * size);
        if (!v->at)
            abort();
    }}
    memcpy(v->at + v->length++ * size, x, size);
}}
static void foreign_whole(struct foreign_vector *v, const void *x, long n, long size)
{{
    v->at = foreign_memory(n * size);
    v->length = v->room = n;
    if (n > 0)
        memcpy(v->at, x, n * size);
}}
static void *foreign_all(struct foreign_vector *v, long size)
{{
    if (!v->at || v->room > v->length) {{ /* no more than it has, so sanitizers see overruns */
        v->at = realloc(v->at, v->length ? v->length * size : 1);
        if (!v->at)
            abort();
        v->room = v->length;
    }}
    return v->at;
}}
static void *foreign_hold(struct foreign_call *call, long size)
{{
    struct foreign_held *const made = foreign_memory(sizeof *made + size);
    made->rest = call->held;
    call->held = made;
    return made + 1;
}}
static int foreign_row(struct foreign_vector *offsets)
{{
    const int *const at = (const int *)offsets->at + offsets->next++;
    return at[1] - at[0];
}}
static int *foreign_offsets(struct foreign_call *call, struct foreign_vector *v, int rows)
{{
    int *const made = foreign_hold(call, (rows + 1L) * sizeof *made);
    made[0] = 0;
    for (int i = 0; i < rows; i++)
        made[i + 1] = made[i] + foreign_row(v);
    return made;
}}
static void foreign_add_row(struct foreign_vector *offsets, int length)
{{
    const int end = ((const int *)offsets->at)[offsets->length - 1] + length;
    foreign_append(offsets, &end, sizeof end);
}}
static void foreign_adopt(struct foreign_vector *v, void *at, long length)
{{
    v->at = at;
    v->length = at ? length : 0;
}}
static void foreign_end(struct foreign_call *call)
{{
    for (int k = 0; k < {most}; k++) {{
        free(call->in[k].at);
        free(call->out[k].at);
    }}
    while (call->held) {{
        struct foreign_held *const rest = call->held->rest;
        free(call->held);
        call->held = rest;
    }}
    free(call);
}}"""


def helpers(defs: Sequence[ForeignDef]) -> str:
    """Return the C functions that all adapters use; none if no function has vectors."""
    found = [f for d in defs if (f := function(d)) is not None]
    most = [sum(p.array for p in ps) for f in found for ps in (f.params, f.results)]
    return _HELPERS.format(most=max(most)) if most else ""


def function(d: ForeignDef) -> ArrayFunction | None:
    """Return the signature of a function with vectors; None if it has none.

    Raises SourceError for vectors of units and for sums.
    """
    if not any(map(has_vectors, (*d.params, d.result))):
        return None
    params = tuple(p for t in d.params for p in _parts(d, t))
    return ArrayFunction(d.name, params, _parts(d, d.result))


def _parts(d: ForeignDef, t: Type) -> tuple[Part, ...]:
    match t:
        case c.Record(fields):
            return tuple(p for _, u in fields for p in _parts(d, u))
        case c.Array(elem):
            found = tuple(Part(s, True) for s in scalars(d, elem))
            if not found:
                message = f"`{d.name}` has a vector of units"
                fail(d.at, Code.FOREIGN, message, "pass its length, an int")
            return found
        case _:
            return tuple(Part(s) for s in scalars(d, t))


def adapter(d: ForeignDef) -> str:
    """Return the C functions of a call."""
    of = function(d)
    assert of is not None
    name = of.name
    arrays = [p.type for p in of.params if p.array]
    made = [p.type for p in of.results if p.array]
    begin = "*r0 = (long)calloc(1, sizeof(struct foreign_call));"
    texts = [_function(names.new(name), ["long *r0"], [begin])]
    for k, t in enumerate(arrays):
        add = f"foreign_append(&{_CALL}->in[{k}], &x, sizeof x);"
        texts.append(_function(names.put(name, k), ["long h", f"{C_TYPES[t]} x"], [add]))
        add = f"foreign_whole(&{_CALL}->in[{k}], x, n, sizeof *x);"
        params = ["long n", "long h", f"const {C_TYPES[t]} *x"]
        texts.append(_function(names.puts(name, k), params, [add]))
    texts.append(_run(d, of))
    for k, t in enumerate(made):
        length = [f"*r0 = {_CALL}->out[{k}].length;"]
        texts.append(_function(names.length(name, k), ["long h", "long *r0"], length))
        read = f"*r0 = (({C_TYPES[t]} *){_CALL}->out[{k}].at)[i];"
        texts.append(
            _function(names.get(name, k), ["long h", "long i", f"{C_TYPES[t]} *r0"], [read])
        )
        copy = ["if (n > 0)", f"    memcpy(r, {_CALL}->out[{k}].at, n * sizeof *r);"]
        params = ["long n", "long h", f"{C_TYPES[t]} *r"]
        texts.append(_function(names.gets(name, k), params, copy))
    texts.append(_function(names.end(name), ["long h"], [f"foreign_end({_CALL});"]))
    return "\n".join(texts)


def _is_plain(t: Type) -> bool:
    """True if the user's function has the elements in the form in which they cross."""
    return isinstance(t, ScalarType) and t is not BOOL


_CALL = "((struct foreign_call *)h)"


def _function(name: str, params: Sequence[str], lines: Sequence[str]) -> str:
    head = f"static void {symbol(Name(name))}({', '.join(params)})"
    return "\n".join((head, "{", *(f"    {line}" for line in lines), "}"))


def _run(d: ForeignDef, of: ArrayFunction) -> str:
    """Return the function that calls the user's with vectors and structs."""
    given, taken = _Given(), _Taken()
    args: list[str] = []
    for k, t in enumerate(map(natural, d.params)):
        if t == c.UNIT:
            continue
        given.lines += [f"{x};" for x in members_of(t, f"a{k}")]
        args += [_name(x) for x in members_of(t, f"a{k}")]
        given.value(t, f"a{k}")
    result = natural(d.result)
    if result != c.UNIT:
        out = members_of(result, "out")
        given.lines += [f"{x} = {{0}};" for x in out]
        args = [*(f"&{_name(x)}" for x in out), *args]
        taken.value(result, "out")
    lines = ["struct foreign_call *const call = (struct foreign_call *)h;", *given.lines]
    lines += [f"{d.name}({', '.join(args)});", *taken.before, *taken.lines]
    return _function(names.run(of.name), ["long h", *given.params, *taken.params], lines)


def _name(declaration: str) -> str:
    return declaration.rsplit(" ", 1)[1].removeprefix("*")


@define
class _Walk:
    """The statements so far, and how many columns and scalars have been met; ``outer``: the number
    of vectors around the statements.
    """

    params: list[str] = field(factory=list)
    lines: list[str] = field(factory=list)
    columns: int = 0
    outer: int = 0

    def column(self) -> int:
        """Return the next column."""
        self.columns += 1
        return self.columns - 1

    def each(self, rows: str, body: Callable[[str], None]) -> None:
        """Add a loop over the elements of a vector; ``body`` adds its statements."""
        index, own = f"i{self.outer}", self.lines
        self.lines, self.outer = [], self.outer + 1
        body(index)
        inner, self.lines, self.outer = self.lines, own, self.outer - 1
        self.lines.append(f"for (int {index} = 0; {index} < {rows}; {index}++) {{")
        self.lines += [*(f"    {x}" for x in inner), "}"]


@define
class _Given(_Walk):
    """Builds arguments of what has crossed."""

    def value(self, t: Type, path: str) -> None:
        """Add the statements that assign a value to an expression of C."""
        match t:
            case c.Array():
                self._vector(t, path)
            case c.Record(fields):
                for label, u in fields:
                    self.value(u, f"{path}.{member(label)}")
            case ScalarType() if self.outer:
                v = f"call->in[{self.column()}]"
                self.lines.append(f"{path} = (({C_TYPES[t]} *){v}.at)[{v}.next++];")
            case ScalarType():
                name = f"x{len(self.params)}"
                self.params.append(f"{C_TYPES[t]} {name}")
                self.lines.append(f"{path} = {name};")
            case _:
                raise TypeError(f"{t} is no type of a foreign function")

    def _vector(self, t: c.Array, path: str) -> None:
        depth, elem = levels(t)
        if self.outer:
            self.lines.append(f"{path}_length = foreign_row(&call->in[{self.column()}]);")
        else:
            offsets = " - 1" if _has_offsets_first(t.elem) else ""
            self.lines.append(f"{path}_length = (int)call->in[{self.columns}].length{offsets};")
        rows = f"{path}_length"
        for suffix in offset_suffixes(depth):
            v = f"&call->in[{self.column()}]"
            made = (
                f"foreign_offsets(call, {v}, {rows})"
                if self.outer
                else f"foreign_all({v}, sizeof(int))"
            )
            self.lines.append(f"{path}{suffix} = {made};")
            rows = f"{path}{suffix}[{rows}]"
        if _is_plain(elem) and not self.outer:  # the function reads what was collected
            column = f"&call->in[{self.column()}]"
            self.lines.append(f"{path} = foreign_all({column}, sizeof *{path});")
            return
        self.lines.append(f"{path} = foreign_hold(call, {rows} * (long)sizeof *{path});")
        self.each(rows, lambda i: self.value(elem, f"{path}[{i}]"))


def _has_offsets_first(elem: Type) -> bool:
    """True if the first column of a vector has offsets, one more than elements."""
    while isinstance(elem, c.Record):
        elem = elem.fields[0][1]
    return isinstance(elem, c.Array)


@define
class _Taken(_Walk):
    """Takes results apart."""

    before: list[str] = field(factory=list)
    """Statements that begin the offsets."""

    def value(self, t: Type, path: str) -> None:
        """Add the statements that pass on the value of an expression of C."""
        match t:
            case c.Array():
                self._vector(t, path)
            case c.Record(fields):
                for label, u in fields:
                    self.value(u, f"{path}.{member(label)}")
            case ScalarType():
                value = f"{path}{' != 0' if t is BOOL else ''}"
                if self.outer:
                    v = f"y{self.columns}"
                    self.lines.append(f"const {C_TYPES[t]} {v} = {value};")
                    add = f"foreign_append(&call->out[{self.column()}], &{v}, sizeof {v});"
                    self.lines.append(add)
                else:
                    name = f"r{len(self.params)}"
                    self.params.append(f"{C_TYPES[t]} *{name}")
                    self.lines.append(f"*{name} = {value};")
            case _:
                raise TypeError(f"{t} is no type of a foreign function")

    def _vector(self, t: c.Array, path: str) -> None:
        depth, elem = levels(t)
        rows = f"{path}_length"
        self.lines += [f"if ({rows} < 0)", f"    {rows} = 0;"]
        if self.outer:
            self.lines.append(f"foreign_add_row(&call->out[{self._offsets()}], {rows});")
        for suffix in offset_suffixes(depth):
            self._level(f"{path}{suffix}", rows)
            # without rows a function need not allocate offsets
            rows = f"({rows} ? {path}{suffix}[{rows}] : 0)"
        if _is_plain(elem) and not self.outer:
            self.lines.append(f"foreign_adopt(&call->out[{self.column()}], {path}, {rows});")
        else:
            self.each(rows, lambda i: self.value(elem, f"{path}[{i}]"))
            self.lines.append(f"free({path});")
        self.lines += [f"free({path}{suffix});" for suffix in offset_suffixes(depth)]

    def _offsets(self) -> int:
        column = self.column()
        self.before += [
            "{",
            "    const int zero = 0;",
            f"    foreign_append(&call->out[{column}], &zero, sizeof zero);",
            "}",
        ]
        return column

    def _level(self, offsets: str, rows: str) -> None:
        """Pass on the offsets of one level."""
        column = f"call->out[{self._offsets()}]"

        def row(i: str) -> None:
            self.lines.append(f"foreign_add_row(&{column}, {offsets}[{i} + 1] - {offsets}[{i}]);")

        self.each(rows, row)
