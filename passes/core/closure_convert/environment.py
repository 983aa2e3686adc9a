r"""Variables that dispatch functions take as arguments, so that closures need not capture them.

    let fs = [\(i : i64) -> xs[i], \(i : i64) -> i] in map (\f -> f 0) fs
        ->  def apply_1 = \(xs : []i64) (f : closure_1) (x_1 : i64) -> …     apply_1 xs f 0

An entry point or definition binds its variables at most once in each run, apart from those of
lambdas and loops.  If a class is applied only where such a variable is in scope, then all its
closures mean the same value, and the place of application has it.  The closures get smaller; above
all, an array of closures is not an array of arrays of different lengths.

The closures of a definition must stay in the run that made them, so the class must not occur in the
definition's type.  (Lightweight closure conversion; Steckler and Wand 1997.)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Type
from funmem.ir.core_traverse import map_parts, map_type, resize
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size
from funmem.passes.core.closure_convert.analysis import Place, Source
from funmem.passes.core.closure_convert.flows import Class, Flow, Fn
from funmem.passes.core.names import inside

Variable = tuple[Name, Name]
"""An entry point or definition, and a variable that it binds outside of lambdas and loops."""


class Environment:
    """What each dispatch function takes besides the closure and its arguments."""

    def __init__(
        self,
        sources: Sequence[Source],
        sites: Sequence[tuple[Fn, Place]],
        once: Mapping[Variable, tuple[int, int]],
        escaping: Mapping[Name, set[Class]],
        home: Callable[[Source], Class | None],
    ) -> None:
        """``escaping``: the classes in a definition's type; ``home``: that of a lambda's body."""
        self._sources = sources
        self._once = once
        self._escaping = escaping
        self._home = home
        self._sizes = {x for s in sources for x in sizes_in(s.fn, s.captured)}
        self._sites: dict[Class, list[tuple[Place, Class | None]]] = {}
        for fn, at in sites:
            if fn.found.data:
                self._sites.setdefault(fn.found, []).append((at, self._inside(at)))
        self._taken: dict[Class, dict[Name, c.Binder]] = {}

    def _inside(self, at: Place) -> Class | None:
        """Return the class in whose dispatch function a place will be, if it is in one."""
        within = at.within
        while within is not None:
            source = self._sources[within]
            if (home := self._home(source)) is not None:
                return home
            within = source.at.within
        return None

    def passed(self, of: Class, owner: Name, b: c.Binder, flow: Flow) -> bool:
        """True if a variable that a lambda of the class mentions is an argument instead.

        Numbers are captured, unless they are sizes: lambdas that differ in them stay one.
        """
        x = (owner, b.name)
        plain = flow is None and (b.name in self._sizes or _has_array(b.type))
        return plain and x in self._once and self._available(of, x)

    def _available(self, of: Class, x: Variable) -> bool:
        """True if a variable is in scope wherever functions of the class are applied."""
        todo, seen = [of], {of}
        while todo:
            k = todo.pop()
            if k in self._escaping.get(x[0], ()):
                return False
            for at, around in self._sites.get(k, []):
                if around is None:
                    entered, left = self._once[x]
                    if at.owner != x[0] or not entered < at.time <= left:
                        return False
                elif around not in seen:
                    seen.add(around)
                    todo.append(around)
        return True

    def settle(self, mentioned: Mapping[Class, Sequence[c.Binder]]) -> None:
        """Find what dispatch functions take, from what their lambdas mention and are passed."""
        self._taken = {k: {b.name: b for b in bs} for k, bs in mentioned.items()}
        changed = True
        while changed:
            changed = False
            for k, around in self._calls():
                mine, theirs = self._taken.setdefault(around, {}), self._taken.get(k, {})
                new = {x: b for x, b in theirs.items() if x not in mine}
                mine |= new
                changed = changed or bool(new)

    def _calls(self) -> Iterator[tuple[Class, Class]]:
        for k, sites in self._sites.items():
            for _, around in sites:
                if around is not None and around is not k:
                    yield k, around

    def taken(self, of: Class) -> tuple[c.Binder, ...]:
        """Return the variables that a class's dispatch function takes; sizes come first."""
        found = self._taken.get(of, {}).values()
        return tuple(sorted(found, key=lambda b: b.type is not I64))


def _has_array(t: Type) -> bool:
    found = isinstance(t, c.Array)

    def look(u: Type) -> Type:
        nonlocal found
        found = found or _has_array(u)
        return u

    map_type(t, look)
    return found


def sizes_in(fn: c.Lambda, captured: Sequence[c.Binder]) -> set[Name]:
    """Return the names in the types that a lambda mentions, and in those of what it captures."""
    found: set[Name] = set()

    def note(d: Size) -> Size:
        found.update(d.free())
        return d

    def look(t: Type) -> Type:
        return resize(t, note)

    for x in inside(fn):
        map_parts(x, lambda y: y, look)
    for b in captured:
        look(b.type)
    return found
