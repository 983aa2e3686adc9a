"""Hygienic ``syntax-rules``: patterns, templates, and one step of expansion.

    pattern   =  _  |  literal  |  variable  |  (pattern …)
    in a list    p ...   matches as many data as leave enough for what follows;   . p   the rest
    template  =  the same; ``(... t)`` is t in which ``...`` is no ellipsis

Hygiene: each symbol that a template inserts gets the number of its expansion as a mark.  A binding
binds the symbol with its mark, so it captures no name of the user; a marked symbol that nothing
binds means what it means at the top level, whatever the user has bound (scope.py).
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from funmem.frontends.harlan.errors import Code, fail, failure
from funmem.frontends.harlan.tokens import is_symbol
from funmem.frontends.sexpr import Atom, Datum, List
from funmem.frontends.sexpr_cursor import shown
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen

ELLIPSIS, DOT, ANYTHING = "...", ".", "_"

MAX_SIZE = 200_000
"""The most data that one expansion may make."""


@frozen(eq=False)
class Rule:
    """A pattern, without its first datum, and its template."""

    pattern: List
    template: Datum
    variables: Mapping[str, int]
    """The number of ellipses after each variable of the pattern."""


@frozen(eq=False)
class Macro:
    """A macro; ``library``: it belongs to the library."""

    name: str
    literals: frozenset[str]
    rules: tuple[Rule, ...]
    library: bool
    at: Span


@frozen(eq=False)
class Many:
    """What a variable under ``depth`` ellipses has matched, in order."""

    items: "tuple[Match, ...]"
    depth: int


Match: TypeAlias = Datum | Many
Means: TypeAlias = Callable[[Atom, str], bool]
"""True if a symbol of a use means the literal of that name."""


# ---------------------------------------------------------------------- definitions


def rule(pattern: Datum, template: Datum, literals: frozenset[str]) -> Rule:
    """Return a rule of a macro.  Raises SourceError (``harlan-macro``)."""
    if not isinstance(pattern, List) or not pattern.items:
        fail(pattern.at, Code.MACRO, f"expected a pattern `(_ …)`, found {shown(pattern)}")
    arguments = List(pattern.bracket, pattern.items[1:], pattern.at, pattern.close)
    variables: dict[str, int] = {}
    _variables(arguments, literals, 0, variables)
    _check_template(template, variables, 0)
    return Rule(arguments, template, variables)


def _variables(pattern: Datum, literals: frozenset[str], depth: int, into: dict[str, int]) -> None:
    if isinstance(pattern, Atom):
        name = pattern.text
        if not is_symbol(pattern) or name in literals or name == ANYTHING:
            return
        if name in (ELLIPSIS, DOT):
            fail(pattern.at, Code.MACRO, f"`{name}` has nothing to follow in this pattern")
        if name in into:
            fail(pattern.at, Code.MACRO, f"`{name}` occurs twice in the pattern")
        into[name] = depth
        return
    items, tail = dotted(pattern)
    ellipses = [k for k, d in enumerate(items) if is_ellipsis(d)]
    if len(ellipses) > 1 or ellipses[:1] == [0]:
        at = items[ellipses[-1]].at
        fail(at, Code.MACRO, "a list has at most one `...`, after a pattern")
    for k, item in enumerate(items):
        if not is_ellipsis(item):
            under = k + 1 < len(items) and is_ellipsis(items[k + 1])
            _variables(item, literals, depth + under, into)
    if tail is not None:
        _variables(tail, literals, depth, into)


def _check_template(template: Datum, variables: Mapping[str, int], depth: int) -> None:
    """Require that each variable stands under at least as many ellipses as in the pattern."""
    if isinstance(template, Atom):
        wanted = variables.get(template.text, 0)
        if wanted > depth:
            what = f"`{template.text}` needs {wanted} `...` after it, as in the pattern"
            fail(template.at, Code.MACRO, what)
        return
    if escaped(template) is not None:
        return
    items, tail = dotted(template)
    for item, ellipses in grouped(items):
        if ellipses and not any(variables.get(n, 0) for n in names(item)):
            fail(item.at, Code.MACRO, "nothing before this `...` was matched under a `...`")
        _check_template(item, variables, depth + ellipses)
    if tail is not None:
        _check_template(tail, variables, depth)


# ---------------------------------------------------------------------- the parts of a list


def is_ellipsis(datum: Datum) -> bool:
    """True for ``...``."""
    return isinstance(datum, Atom) and datum.text == ELLIPSIS


def dotted(whole: List) -> tuple[tuple[Datum, ...], Datum | None]:
    """Return the data of a list and its dotted tail, None if there is none."""
    items = whole.items
    dots = [k for k, d in enumerate(items) if isinstance(d, Atom) and d.text == DOT]
    if not dots:
        return items, None
    if dots != [len(items) - 2]:
        fail(items[dots[0]].at, Code.MACRO, "`.` stands before the last datum of a list")
    return items[:-2], items[-1]


def grouped(items: tuple[Datum, ...]) -> list[tuple[Datum, int]]:
    """Return each datum of a template with the number of ellipses after it."""
    found: list[tuple[Datum, int]] = []
    for item in items:
        if is_ellipsis(item):
            if not found:
                fail(item.at, Code.MACRO, "`...` has nothing to follow in this template")
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((item, 0))
    return found


def escaped(template: List) -> Datum | None:
    """Return t of ``(... t)``; None for another template."""
    items = template.items
    return items[1] if len(items) == 2 and is_ellipsis(items[0]) else None


def names(datum: Datum) -> set[str]:
    """Return the texts of all atoms."""
    if isinstance(datum, Atom):
        return {datum.text}
    return {n for item in datum.items for n in names(item)}


def _ellipses(template: Datum, depth: int, into: dict[str, int]) -> None:
    """Note, for each symbol, the most ellipses that it stands under."""
    if isinstance(template, Atom):
        into[template.text] = max(depth, into.get(template.text, 0))
        return
    inner = escaped(template)
    if inner is not None:
        _ellipses(inner, depth, into)
        return
    items, tail = dotted(template)
    for item, more in grouped(items):
        _ellipses(item, depth + more, into)
    if tail is not None:
        _ellipses(tail, depth, into)


# ---------------------------------------------------------------------- one step


def expand(macro: Macro, use: List, mark: int, means: Means) -> Datum:
    """Return what a use of a macro stands for.  Raises SourceError (``harlan-macro``)."""
    arguments = List(use.bracket, use.items[1:], use.at, use.close)
    for r in macro.rules:
        found: dict[str, Match] = {}
        if _matches(r.pattern, arguments, macro.literals, means, found):
            return _Instance(mark, use.at, [0]).of(r.template, found)
    patterns = " or ".join(f"`{_spelt(macro.name, r.pattern)}`" for r in macro.rules)
    message = f"no pattern of the macro `{macro.name}` matches this"
    hint = f"it is used as {patterns}" if patterns else ""
    raise failure(use.at, Code.MACRO, message, hint)


def _spelt(name: str, pattern: List) -> str:
    return f"({' '.join([name, *map(_text, pattern.items)])})"


def _text(datum: Datum) -> str:
    return datum.text if isinstance(datum, Atom) else f"({' '.join(map(_text, datum.items))})"


def _matches(
    pattern: Datum,
    datum: Datum,
    literals: frozenset[str],
    means: Means,
    found: dict[str, Match],
) -> bool:
    if isinstance(pattern, Atom):
        name = pattern.text
        if not is_symbol(pattern):
            return isinstance(datum, Atom) and datum.text == name
        if name in literals:
            return isinstance(datum, Atom) and is_symbol(datum) and means(datum, name)
        if name != ANYTHING:
            found[name] = datum
        return True
    if not isinstance(datum, List):
        return False
    items, tail = dotted(pattern)
    given = datum.items
    at = next((k for k, d in enumerate(items) if is_ellipsis(d)), None)
    before, repeated, after = items, None, items[:0]
    if at is not None:
        before, repeated, after = items[: at - 1], items[at - 1], items[at + 1 :]
    least = len(before) + len(after)
    if len(given) < least or (len(given) > least and repeated is None and tail is None):
        return False
    # an ellipsis takes all that leaves enough for what follows; a dotted tail is then empty
    many = len(given) - least if repeated is not None else 0
    for p, d in zip(before, given, strict=False):
        if not _matches(p, d, literals, means, found):
            return False
    if repeated is not None:
        each: list[dict[str, Match]] = []
        for d in given[len(before) : len(before) + many]:
            one: dict[str, Match] = {}
            if not _matches(repeated, d, literals, means, one):
                return False
            each.append(one)
        own: dict[str, int] = {}
        _variables(repeated, literals, 0, own)
        for name in own:
            found[name] = Many(tuple(one[name] for one in each), own[name] + 1)
    for p, d in zip(after, given[len(before) + many :], strict=False):
        if not _matches(p, d, literals, means, found):
            return False
    if tail is not None:
        rest = List(datum.bracket, given[least + many :], datum.at, datum.close)
        return _matches(tail, rest, literals, means, found)
    return True


@frozen(eq=False)
class _Instance:
    """One expansion: its mark, the place of the use, and how much it has made."""

    mark: int
    at: Span
    made: list[int]

    def of(self, template: Datum, found: Mapping[str, Match], literal: bool = False) -> Datum:
        """Return a template with its variables replaced; ``literal``: ``...`` is a symbol."""
        self.made[0] += 1
        if self.made[0] > MAX_SIZE:
            fail(self.at, Code.MACRO, "the expansion is too large")
        if isinstance(template, Atom):
            value = found.get(template.text)
            if value is None:
                return Atom(template.text, self.at, self.mark)
            if isinstance(value, Many):
                fail(self.at, Code.MACRO, f"`{template.text}` stands for several data here")
            return value
        inner = None if literal else escaped(template)
        if inner is not None:
            return self.of(inner, found, literal=True)
        items, tail = dotted(template)
        out: list[Datum] = []
        for item, ellipses in [(d, 0) for d in items] if literal else grouped(items):
            out.extend(self.several(item, ellipses, found, literal))
        if tail is not None:
            rest = self.of(tail, found, literal)
            if isinstance(rest, List):
                out.extend(rest.items)
            else:
                out += [Atom(DOT, self.at, self.mark), rest]
        return List(template.bracket, tuple(out), self.at, self.at)

    def several(
        self, item: Datum, ellipses: int, found: Mapping[str, Match], literal: bool
    ) -> list[Datum]:
        """Return the instances of a template that ``ellipses`` of ``...`` follow."""
        if not ellipses:
            return [self.of(item, found, literal)]
        # a variable under fewer ellipses than here in the pattern is repeated by the inner ones
        inner: dict[str, int] = {}
        _ellipses(item, ellipses - 1, inner)
        repeated = {
            n: v
            for n, depth in inner.items()
            if isinstance(v := found.get(n), Many) and v.depth > depth
        }
        counts = {len(v.items) for v in repeated.values()}
        if len(counts) != 1:
            what = "the variables before a `...` have matched different numbers of data"
            fail(self.at, Code.MACRO, what)
        out: list[Datum] = []
        for k in range(counts.pop()):
            one = {**found, **{n: v.items[k] for n, v in repeated.items()}}
            out.extend(self.several(item, ellipses - 1, one, literal))
        return out
