r"""Which functions are data, and what their data types look like.

A class is data if its functions are in an array or a sum, come out of ``if``, ``match``, ``loop``
or recursion (analysis.py marks these), are captured by a function that is data, or are taken or
given by one.  ``Solution`` finds them all, together with the *arity* of each class: the number of
arguments that its dispatch function takes at once.  That is the least number of parameters of its
lambdas, and of arguments that it is applied to.

A lambda of more parameters than the arity is split: ``\x y -> e`` in a class of arity 1 is
``\x -> \y -> e``, whose inner lambda captures x as well.
"""

from collections.abc import Iterator, Mapping

from funmem.ir import core as c
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.passes.core.closure_convert.analysis import Analysis, Source
from funmem.passes.core.closure_convert.environment import Environment
from funmem.passes.core.closure_convert.flows import (
    Class,
    Each,
    Elements,
    Flow,
    Fn,
    Named,
    after,
    steps,
)
from funmem.passes.core.unique import Unique


@frozen
class Member:
    """A lambda once its first ``start`` parameters are bound, which it captures as well."""

    source: Source
    start: int

    @property
    def mentioned(self) -> tuple[tuple[c.Binder, Flow], ...]:
        """The variables of its surroundings that it needs, with their flows."""
        binders = (*self.source.captured, *self.source.fn.params[: self.start])
        return tuple((b, self.source.flows[b.name]) for b in binders)

    @property
    def of(self) -> Class:
        """The class of its value."""
        return self.source.steps[self.start].found

    @property
    def left(self) -> int:
        """The number of parameters that it still takes."""
        return len(self.source.fn.params) - self.start


class Solution:
    """The classes that are data, their arities and their constructors."""

    def __init__(self, analysis: Analysis) -> None:
        self._flows = flows = analysis.flows
        self._sources = analysis.sources
        self._arity = {k: k.given or _depth(k) for k in flows.classes()}
        self._solve()
        self._environment = Environment(
            self._sources, analysis.sites, analysis.once, self._escaping(analysis), self._home
        )
        self._members: dict[Class, dict[object, Member]] = {}
        mentioned: dict[Class, list[c.Binder]] = {}
        for m in self._found():
            self._members.setdefault(m.of, {}).setdefault(self._code(m), m)
            mentioned.setdefault(m.of, []).extend(
                b for b, flow in m.mentioned if self._passed(m, b, flow)
            )
        self._environment.settle(mentioned)

    def arity(self, of: Class) -> int:
        """Return the number of arguments that a class takes at once."""
        return self._arity[of]

    def members(self, of: Class) -> list[Member]:
        """Return the constructors of a class: lambdas that have the same code are one."""
        return list(self._members.get(of, {}).values())

    def named(self, of: Class) -> bool:
        """True if a class needs a data type: it has several lambdas, or one contains the class."""
        return len(self._members.get(of, ())) > 1 or of in self._inside(of)

    def _inside(self, of: Class) -> set[Class]:
        """Return the classes whose values may be in values of a class."""
        found: set[Class] = set()
        todo = [of]
        while todo:
            captured = [flow for m in self.members(todo.pop()) for _, flow in m.mentioned]
            new = {k for flow in captured for k in self._flows.held(flow)} - found
            found |= new
            todo += new
        return found

    def index(self, m: Member) -> int:
        """Return the position of a lambda's constructor in its class."""
        return list(self._members[m.of]).index(self._code(m))

    # ------------------------------------------------------------------ what lambdas need

    def captured(self, m: Member) -> tuple[tuple[c.Binder, Flow], ...]:
        """Return the variables that a lambda captures, with their flows."""
        return tuple((b, flow) for b, flow in m.mentioned if not self._passed(m, b, flow))

    def passed(self, of: Class) -> tuple[c.Binder, ...]:
        """Return the variables that a class's dispatch function takes instead."""
        return self._environment.taken(of)

    def _passed(self, m: Member, b: c.Binder, flow: Flow) -> bool:
        return self._environment.passed(m.of, m.source.at.owner, b, flow)

    def _escaping(self, analysis: Analysis) -> Mapping[Name, set[Class]]:
        """Return the classes in the type of each definition."""
        return {x: self._flows.occurring(flow) for x, flow in analysis.definitions.items()}

    def _home(self, source: Source) -> Class | None:
        """Return the class in whose dispatch function the body of a lambda will be, if in one."""
        home, at = None, 0
        while at < len(source.steps):
            home = source.steps[at].found if source.steps[at].found.data else home
            at = self.end(source, at)
        return home

    def _code(self, m: Member) -> object:
        """Return what two lambdas of one class have in common if one can stand for the other.

        Copies of a lambda differ in names only.  What they capture must be in the same classes.
        """
        captured = self.captured(m)
        binders = (*(b for b, _ in captured), *m.source.fn.params[m.start :])
        image = {b.name: b.name for b, flow in m.mentioned if self._passed(m, b, flow)}
        fn = _Numbered().exp(c.Lambda(binders, m.source.fn.body), image)
        return fn, tuple(_identity(flow) for _, flow in captured)

    def end(self, source: Source, start: int) -> int:
        """Return the parameter up to which a lambda is one function from ``start`` on."""
        first = source.steps[start].found
        if first.data:
            return start + self._arity[first]
        rest = range(start + 1, len(source.steps))
        return next((k for k in rest if source.steps[k].found.data), len(source.steps))

    # ------------------------------------------------------------------ solving

    def _solve(self) -> None:
        """Mark what is data because other functions are, until nothing changes."""
        changed = True
        while changed:
            self._flows.changed = changed = False
            for m in self._found():
                if m.left < self._arity[m.of]:
                    self._arity[m.of], changed = m.left, True
                for _, flow in m.mentioned:
                    self._flows.mark(flow)
            for k in self._flows.classes():
                if k.data:
                    for step in list(steps(Fn(k)))[: self._arity[k]]:
                        self._flows.mark(step.found.param)
                    self._flows.mark(after(Fn(k), self._arity[k]))
            changed = changed or self._flows.changed

    def _found(self) -> Iterator[Member]:
        """Yield the lambdas, and parts of split lambdas, that are data as far as is known."""
        for source in self._sources:
            at = 0
            while at < len(source.steps):
                if source.steps[at].found.data:
                    yield Member(source, at)
                at = self.end(source, at)


def _depth(of: Class) -> int:
    return sum(1 for _ in steps(Fn(of)))


# ---------------------------------------------------------------------- the same code


class _Numbered(Unique):
    """Renames by number, so that expressions that differ in names only become equal."""

    def __init__(self) -> None:
        super().__init__({}, _Numbers())


class _Numbers(Fresh):
    def __init__(self) -> None:
        super().__init__(())
        self._count = 0

    def reserve(self, name: Name) -> Name:  # noqa: ARG002
        self._count += 1
        return Name(f"v{self._count}")


def _identity(flow: Flow) -> object:
    match flow:
        case None:
            return None
        case Fn():
            return id(flow.found)
        case Named(name):
            return name
        case Elements(elem):
            return ("[]", _identity(elem))
        case Each(parts):
            return tuple((x, tuple(map(_identity, us))) for x, us in parts)
