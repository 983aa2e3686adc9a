"""NOVA's foreign functions on vectors: the C functions by which elements cross, one by one or in
one copy of the whole vector.

    (f : vector float -> int -> vector int)     void f(int *out_length, int **out,
                                                       int a0_length, const float *a0, int a1)

A vector argument is its length and a pointer, a vector result is allocated by the function with
``malloc`` and freed here.  The elements of a vector of tuples are structs.  The functions of a call
(``ir/foreign_arrays.py``) collect the elements in a record on the heap; its address is the handle.
"""

from collections.abc import Sequence

from funmem.frontends.foreign import parameters, scalars
from funmem.frontends.nova.foreign_types import c_type, leaves
from funmem.ir import core as c
from funmem.ir import foreign as names
from funmem.ir.core import ForeignDef, Type
from funmem.ir.diagnostics import Diagnostic, SourceError
from funmem.ir.foreign import C_TYPES, ArrayFunction, Part, symbol
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, ScalarType

HELPERS = """\
#include <stdlib.h>
#include <string.h>
struct foreign_vector { long length, room; char *at; };
struct foreign_call { struct foreign_vector in[16], out[16]; };
static void foreign_append(struct foreign_vector *v, const void *x, long size)
{
    if (v->length == v->room) {
        v->room = 2 * v->room + 16;
        v->at = realloc(v->at, v->room * size);
        if (!v->at)
            abort();
    }
    memcpy(v->at + v->length++ * size, x, size);
}
static void foreign_whole(struct foreign_vector *v, const void *x, long n, long size)
{
    v->at = malloc(n * size + 1);
    if (!v->at)
        abort();
    v->length = v->room = n;
    if (n > 0)
        memcpy(v->at, x, n * size);
}"""

MOST = 16
"""Cap on the vectors of a function, a vector of tuples being one for each component."""


def function(d: ForeignDef) -> ArrayFunction | None:
    """Return the signature of a function with vectors; None if it has none.

    Raises SourceError for vectors inside of vectors or tuples.
    """
    types = (*parameters(d), d.result)
    if not any(isinstance(t, c.Array) for t in types):
        return None
    params = tuple(p for t in parameters(d) for p in _parts(d, t))
    results = _parts(d, d.result)
    if max(sum(p.array for p in ps) for ps in (params, results)) > MOST:
        message = f"not supported: more than {MOST} vectors in `{d.name}`"
        raise SourceError(Diagnostic(d.at, "not-supported", message))
    return ArrayFunction(d.name, params, results)


def _parts(d: ForeignDef, t: Type) -> tuple[Part, ...]:
    elem = t.elem if isinstance(t, c.Array) else t
    return tuple(Part(s, isinstance(t, c.Array)) for s in scalars(d, elem))


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
        texts.append(
            _function(
                names.length(name, k), ["long h", "long *r0"], [f"*r0 = {_CALL}->out[{k}].length;"]
            )
        )
        read = f"*r0 = (({C_TYPES[t]} *){_CALL}->out[{k}].at)[i];"
        texts.append(
            _function(names.get(name, k), ["long h", "long i", f"{C_TYPES[t]} *r0"], [read])
        )
        copy = ["if (n > 0)", f"    memcpy(r, {_CALL}->out[{k}].at, n * sizeof *r);"]
        params = ["long n", "long h", f"{C_TYPES[t]} *r"]
        texts.append(_function(names.gets(name, k), params, copy))
    free = [
        f"for (int k = 0; k < {MOST}; k++) {{",
        f"    free({_CALL}->in[k].at);",
        f"    free({_CALL}->out[k].at);",
        "}",
        "free((void *)h);",
    ]
    texts.append(_function(names.end(name), ["long h"], free))
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
    params, lines, args, after = ["long h"], list[str](), list[str](), list[str]()
    scalar = vector = 0
    for k, t in enumerate(parameters(d)):
        if t == c.UNIT:
            continue
        elem = t.elem if isinstance(t, c.Array) else t
        own = c_type(elem)
        if isinstance(t, c.Array):
            count = f"{_CALL}->in[{vector}].length"
            if _is_plain(elem):  # the function reads what was collected
                at = f"{_CALL}->in[{vector}].at"
                lines += [
                    f"const long n{k} = {count};",
                    f"if (!{at})",
                    f"    {at} = malloc(1);",
                    f"const {own} *a{k} = (const {own} *){at};",
                ]
                args += [f"(int)n{k}", f"a{k}"]
                vector += 1
                continue
            lines += [
                f"const long n{k} = {count};",
                f"{own} *a{k} = malloc((n{k} + 1) * sizeof *a{k});",
            ]
            lines.append(f"for (long i = 0; i < n{k}; i++) {{")
            for path, s in leaves(elem, f"a{k}[i]"):
                lines.append(f"    {path} = (({C_TYPES[s]} *){_CALL}->in[{vector}].at)[i];")
                vector += 1
            lines.append("}")
            args += [f"(int)n{k}", f"a{k}"]
            after.append(f"free(a{k});")
            continue
        lines.append(f"{own} a{k};")
        for path, s in leaves(t, f"a{k}"):
            params.append(f"{C_TYPES[s]} x{scalar}")
            lines.append(f"{path} = x{scalar};")
            scalar += 1
        args.append(f"a{k}")
    if isinstance(d.result, c.Array):
        lines += ["int length = 0;", f"{c_type(d.result.elem)} *out = NULL;"]
        args = ["&length", "&out", *args]
        if _is_plain(d.result.elem):
            after += [
                f"{_CALL}->out[0].at = (char *)out;",
                f"{_CALL}->out[0].length = length > 0 ? length : 0;",
            ]
            lines.append(f"{d.name}({', '.join(args)});")
            return _function(names.run(of.name), params, [*lines, *after])
        after.append("for (long i = 0; i < length; i++) {")
        for n, (path, s) in enumerate(leaves(d.result.elem, "out[i]")):
            value = f"{path}{' != 0' if s is BOOL else ''}"
            after.append(f"    const {C_TYPES[s]} y{n} = {value};")
            after.append(f"    foreign_append(&{_CALL}->out[{n}], &y{n}, sizeof y{n});")
        after += ["}", "free(out);"]
    elif d.result != c.UNIT:
        lines.append(f"{c_type(d.result)} out;")
        args.insert(0, "&out")
        for n, (path, s) in enumerate(leaves(d.result, "out")):
            params.append(f"{C_TYPES[s]} *r{n}")
            after.append(f"*r{n} = {path}{' != 0' if s is BOOL else ''};")
    return _function(names.run(of.name), params, [*lines, f"{d.name}({', '.join(args)});", *after])
