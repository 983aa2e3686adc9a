"""Core programs as ``.fut`` text.

    print(show_fut(core))

The text means what the Core program means, for this compiler and for Futhark.  What the language
lacks is an error that names it: foreign functions and effects, local recursive functions, recursive
data, rows of different lengths.  Three things are lost: messages of assertions (they stand in
comments), names that are reserved, and spans.  Arrays that Core lets a program use after an update
are copied before it.
"""

from collections import Counter

from funmem.frontends.futhark.elaborate.context import not_supported
from funmem.frontends.futhark.export.expressions import Printer
from funmem.frontends.futhark.export.state import Scope, State, Text, indented
from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp, Type
from funmem.ir.core_traverse import parts, resize
from funmem.ir.core_types import portable
from funmem.ir.names import Name
from funmem.ir.scalars import I64

__all__ = ["show_fut"]


def show_fut(p: CoreProgram) -> str:
    """Return the text of a program in ``.fut``.

    Raises SourceError (``not-supported``) for a construct that the language lacks.
    """
    state = State({d.name: d for d in p.data}, {d.name: d for d in p.defs}, _uses(p))
    printer = Printer(state)
    entries = {e.name: state.reserve(e.name) for e in p.entries}
    for e in p.entries:
        if entries[e.name] != e.name:
            raise not_supported(f"an entry point called `{e.name}` in `.fut`", e.at)
    for d in p.defs:
        state.globals[d.name] = state.reserve(d.name)
    blocks = [_definition(printer, d) for d in _ordered(p)]
    blocks += [_entry(printer, e) for e in p.entries]
    return "\n\n".join([*state.helpers.values(), *blocks]) + "\n"


def _uses(p: CoreProgram) -> Counter[Name]:
    """Return how often each variable occurs."""
    found: Counter[Name] = Counter()
    todo: list[Exp] = [*(d.exp for d in p.defs), *(e.exp for e in p.entries)]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Var):
            found[x.name] += 1
        todo += parts(x)
    return found


def _ordered(p: CoreProgram) -> list[c.Def]:
    """Return the definitions, each after those that it uses; a recursive one may use itself."""
    defs = {d.name: d for d in p.defs}
    done: dict[Name, c.Def] = {}
    active: set[Name] = set()
    todo = [(d.name, False) for d in reversed(p.defs)]
    while todo:
        name, ready = todo.pop()
        if ready:
            active.discard(name)
            done[name] = defs[name]
        elif name not in done:
            if name in active:
                raise not_supported(
                    f"`{name}`, which calls itself by others, in `.fut`", defs[name].at
                )
            active.add(name)
            todo.append((name, True))
            todo += [(x, False) for x in _globals(defs[name].exp) if x != name and x not in done]
    return list(done.values())


def _globals(e: Exp) -> list[Name]:
    found: list[Name] = []
    todo = [e]
    while todo:
        x = todo.pop()
        if isinstance(x, c.Global):
            found.append(x.name)
        todo += parts(x)
    return found


def _definition(printer: Printer, d: c.Def) -> str:
    st = printer.state
    st.scope = Scope()
    head = [f"def {st.globals[d.name]}", *[f"'{x}" for x in d.tparams]]
    result: Type = portable(d.type)
    params: list[str] = []
    body = d.exp
    if isinstance(body, c.Lambda):
        for b in body.params:
            assert isinstance(result, c.Arrow)
            t, sizes = st.with_names(result.param)
            head += [f"[{x}]" for x in sizes]
            params.append(f"({st.bind(b.name, b.type)}: {st.type(t, d.at)})")
            st.types[b.name] = t
            result = result.result
        body = body.body
    found = printer.ended(st.scope, printer.chain(body, result))
    start = " ".join([*head, *params])
    return f"{start} : {st.type(result, d.at)} =\n  {indented(found.text)}"


def _entry(printer: Printer, e: c.Entry) -> str:
    st = printer.state
    st.scope = Scope()
    head = [f"entry {e.name}", *[f"[{st.bind(x, I64)}]" for x in e.sizes]]
    for x in e.sizes:
        st.types[x] = I64
    params: list[str] = []
    checked: list[tuple[Name, Text, Type]] = []
    for q in e.params:
        b = q.binder
        name = st.bind(b.name, b.type)
        stated = resize(b.type, st.size)
        t, sizes = st.with_names(stated)
        head += [f"[{x}]" for x in sizes]
        params.append(f"({name}: {st.type(t, e.at)})")
        st.types[b.name] = t
        plain = resize(t, lambda d: d if d.as_name is not None or d.as_const is not None else None)
        if plain != t:
            checked.append((b.name, Text(name, plain, True), t))
    for x, given, t in checked:
        own = st.bound_text(st.temporary(x), st.coerced(given, resize(t, st.atom)))
        st.names[x], st.types[x] = own.text, own.type
    result = resize(e.result, st.size)
    atoms = resize(result, lambda d: d if d.as_name is not None or d.as_const is not None else None)
    found = printer.chain(e.exp, atoms)
    if result != atoms:
        found = Text(f"{found.atom} :> {st.type(result, e.at)}", result)
    found = printer.ended(st.scope, found)
    start = " ".join([*head, *params])
    return f"{start} : {st.type(result, e.at)} =\n  {indented(found.text)}"
