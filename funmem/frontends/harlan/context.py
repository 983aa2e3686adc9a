"""The state of inference, and the reports of type errors."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.effects import happening, is_io, visible
from funmem.frontends.harlan.errors import Code, fail
from funmem.frontends.harlan.types import IO, UNKNOWN, VOID, Declared
from funmem.frontends.harlan.typing import Flow, Instance, Scheme, Typing
from funmem.frontends.harlan.walk import mentioned
from funmem.frontends.inference.types import Meta, Opaque, Record, Type, tuple_type
from funmem.frontends.inference.unify import Clash, Solver
from funmem.ir.diagnostics import Span
from funmem.ir.record import define
from funmem.ir.scalars import F32, ScalarType


@define(eq=False)
class Context:
    """The state that the rules share; ``exp`` is the judgement on expressions."""

    exp: "Callable[[Context, ast.Exp], Type]"
    float: ScalarType = F32
    solver: Solver = field(factory=Solver)
    declared: Declared = field(init=False)
    types: dict[ast.Exp, Type] = field(factory=dict)
    bound: dict[ast.Local, Type] = field(factory=dict)
    monotypes: dict[ast.Define, Opaque] = field(factory=dict)
    """The types of the definitions of this component."""
    schemes: dict[ast.Define, Scheme] = field(factory=dict)
    instances: dict[ast.Call, Instance] = field(factory=dict)
    effects: dict[ast.Lambda | ast.Kernel | ast.Fold, Type] = field(factory=dict)
    effect: Type = IO
    """The effect of the code around this place."""
    flows: list[Flow] = field(factory=list)
    captures: list[tuple[Type, Type, Span]] = field(factory=list)
    """Types that lambdas capture, each with the region of the lambda."""
    open_regions: list[tuple[ast.LetRegion, Type]] = field(factory=list)
    kernels: list[ast.Kernel] = field(factory=list)
    global_flows: list[Flow] = field(factory=list)
    free: set[int] = field(factory=set)
    """The metavariables that some definition quantifies."""

    def __attrs_post_init__(self) -> None:
        self.declared = Declared(self.solver, self.float)

    # ------------------------------------------------------------------ types

    def fresh(self, at: Span) -> Meta:
        """Return a new unknown type, region or effect."""
        return self.solver.fresh(at)

    def regions(self, at: Span) -> Callable[[], Type]:
        """Return a supply of new regions."""
        return lambda: self.solver.fresh(at)

    def region(self, named: ast.Region | None, at: Span) -> Type:
        """Return the region that a form names, or a new one."""
        return self.fresh(at) if named is None else self.declared.regions[named]

    def fields(self, k: ast.Constructor, region: Type) -> list[Type]:
        """Return the types of a constructor's fields, in the datatype's region."""
        return [self.declared.of(t, lambda: region) for t in k.fields]

    def text(self, t: Type) -> str:
        """Return a type as messages show it."""
        return self.declared.text(t)

    def same(self, at: Span, found: Type, expected: Type, what: str, hint: str = "") -> None:
        """Require that two types are equal (``harlan-type``)."""
        self.solver.where = at
        try:
            self.solver.unify(expected, found)
        except Clash as clash:
            if self._is_region(clash.left) or self._is_region(clash.right):
                named = clash.left if self._is_region(clash.left) else clash.right
                self._escapes(at, named)
            f, e = self.text(found), self.text(expected)
            lines = [f"{what} is {f}, but should be {e}"]
            if f == e:
                lines = [f"{what} does not fit: {f}"]
            elif e == UNKNOWN:
                lines = [f"{what} cannot be {f}"]
            if clash.reason and "would contain itself" in clash.reason:
                lines.append(f"  {clash.reason}")
            fail(at, Code.TYPE, "\n".join(lines), hint or self._hint(found, expected))

    def _hint(self, found: Type, expected: Type) -> str:
        found, expected = self.solver.resolve(found), self.solver.resolve(expected)
        if found == VOID:
            return "`if` without an else, `set!`, `print` and loops have no value"
        if isinstance(found, ScalarType) and isinstance(expected, ScalarType):
            return "there are no conversions but the library's: `int->float`, `float->int`, …"
        return ""

    def _is_region(self, t: Type) -> bool:
        return t in self.declared.regions.values()

    def _escapes(self, at: Span, named: Type) -> None:
        name = next(r.name for r, t in self.declared.regions.items() if t == named)
        what = f"this lies in the region `{name}` and in another one"
        fail(at, Code.REGION, what, "values that are joined lie in one region")

    # ------------------------------------------------------------------ effects

    @contextmanager
    def code(self, effect: Type) -> Iterator[None]:
        """What is judged inside has this effect."""
        before, self.effect = self.effect, effect
        yield
        self.effect = before

    def happens(self, effect: Type) -> None:
        """Note that an effect happens in the code around."""
        self.flows.append((effect, self.effect))

    # ------------------------------------------------------------------ definitions

    def instance(self, e: ast.Call, d: ast.Define) -> Opaque:
        """Return the type of a definition at a use."""
        if d in self.monotypes:
            return self.monotypes[d]
        scheme = self.schemes[d]
        pairs = [*scheme.flows, *scheme.captures]
        bundle = tuple_type(scheme.type, *(t for pair in pairs for t in pair))
        copy, types = self.solver.instance(bundle, scheme.generic, e.at)
        self.instances[e] = Instance(types)
        assert isinstance(copy, Record)
        whole, *rest = (t for _, t in copy.fields)
        copied = list(zip(rest[::2], rest[1::2], strict=True))
        self.flows.extend(copied[: len(scheme.flows)])
        self.captures.extend((t, r, e.at) for t, r in copied[len(scheme.flows) :])
        assert isinstance(whole, Opaque)
        return whole

    def begin(self, group: Sequence[ast.Define]) -> None:
        """Begin a component."""
        self.solver.level += 1
        self.flows, self.captures, self.kernels, self.open_regions = [], [], [], []
        for d in group:
            params: list[Type] = []
            for x in d.params:
                self.bound[x] = self.fresh(x.at)
                params.append(self.bound[x])
            effect = self.fresh(d.at)
            made = self.declared.function(params, self.fresh(d.at), effect)
            self.monotypes[d] = made

    def generalise(self, group: Sequence[ast.Define]) -> None:
        """End a component: quantify what nothing outside of it mentions."""
        self._settle_captures()
        self._check_regions()
        self.solver.level -= 1
        flows = tuple(self.flows)
        self._check_kernels(flows)
        written = [m.id for _, m in self.declared.effects.values()]
        self.global_flows.extend(visible(self.solver, flows, self._ids(written)))
        for d in group:
            t = self.monotypes[d]
            own = self.solver.owned(t)
            effects = [m for m in own if self.solver.cells[m].shape is None]
            kept = self._open_captures(set(own))
            bundle = tuple_type(t, *(u for pair in kept for u in pair))
            generic = tuple(self.solver.owned(bundle))
            self.free.update(generic)
            shown = visible(self.solver, flows, [*effects, *self._ids(written)])
            self.schemes[d] = Scheme(t, generic, shown, flows, kept)
        self.monotypes.clear()

    def _ids(self, ids: Sequence[int]) -> list[int]:
        found = (self.solver.resolve(Meta(k)) for k in ids)
        return list({t.id: None for t in found if isinstance(t, Meta)})

    def _settle_captures(self) -> None:
        """Put all that a lambda captures into its region, until nothing changes."""
        changed = True
        while changed:
            changed = False
            for t, region, at in self.captures:
                for r in list(self.declared.regions_in(t)):
                    if self.solver.resolve(r) != self.solver.resolve(region):
                        self.same(at, r, region, "the region")
                        changed = True

    def _open_captures(self, own: set[int]) -> tuple[tuple[Type, Type], ...]:
        """Return the captured types that an instance may still determine."""
        kept: list[tuple[Type, Type]] = []
        for t, region, _ in self.captures:
            free: dict[int, None] = {}
            self.solver.free(t, free)
            regions = {r.id for r in self.declared.regions_in(t) if isinstance(r, Meta)}
            if own & (set(free) - regions):
                kept.append((t, region))
        return tuple(kept)

    def _check_regions(self) -> None:
        """Require that no value outlives its region."""
        for e, t in self.open_regions:
            outside = [(t, "the value of the body")]
            outside += [(self.bound[x], f"`{x.name}`") for x in mentioned(e.body)]
            for r in e.regions:
                for u, what in outside:
                    if self.declared.regions[r] in self.declared.regions_in(u):
                        message = f"{what} lies in the region `{r.name}`, which ends here"
                        fail(e.at, Code.REGION, message, "make it in a region around this one")

    def _check_kernels(self, flows: tuple[Flow, ...]) -> None:
        """Require that no kernel has an effect, whatever the definition's parameters are."""
        happens = happening(self.solver, flows)
        for e in self.kernels:
            if is_io(self.solver.resolve(self.effects[e]), happens):
                kernel_effect(e)

    # ------------------------------------------------------------------ the end

    def close(self, program: ast.Program) -> Typing:
        """Return the tables."""
        return Typing(
            program,
            self.declared,
            self.solver,
            self.types,
            self.bound,
            self.schemes,
            self.instances,
            self.effects,
            tuple(self.global_flows),
        )


def kernel_effect(e: ast.Kernel) -> None:
    """Raise the error that a kernel's code has an effect."""
    what = "this kernel may print or call a foreign function"
    fail(e.at, Code.KERNEL, what, "compute the values in the kernel and print them after it")
