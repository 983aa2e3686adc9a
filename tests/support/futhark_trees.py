"""Trees of the Futhark front end in tests: comparing them, spelling them out, making them up."""

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

from attrs import fields, has

from funmem.frontends.futhark import ast as t
from funmem.ir.diagnostics import NOWHERE
from funmem.ir.scalars import FLOATS, INTS, ScalarType

T = TypeVar("T")


def difference(a: object, b: object) -> tuple[object, object] | None:
    """Two parts in which the trees differ, places apart; None if they are equal."""
    stack: list[tuple[object, object]] = [(a, b)]
    while stack:
        x, y = stack.pop()
        if type(x) is not type(y):
            return x, y
        if isinstance(x, tuple) and isinstance(y, tuple):
            if len(x) != len(y):
                return x, y
            stack.extend(zip(x, y, strict=True))
        elif has(type(x)):
            names = [f.name for f in fields(type(x)) if f.name not in ("at", "source")]
            stack.extend((getattr(x, n), getattr(y, n)) for n in names)
        elif x != y:
            return x, y
    return None


def spelled(x: object) -> str:
    """A tree with all its structure: ``(+ a (* b c))``, ``(Let p e body)``."""
    match x:
        case t.Var(name) | t.TEName(name):
            return str(name)
        case t.PVar(name):
            return str(name)
        case t.IntLit(value, suffix) | t.FloatLit(value, suffix):
            return f"{value}{suffix or ''}"
        case t.BinOp(op, left, right):
            return f"({op} {spelled(left)} {spelled(right)})"
        case t.App(fn, arg):
            return f"({spelled(fn)} {spelled(arg)})"
        case t.FixDim(index):
            return spelled(index)
        case tuple():
            return f"[{' '.join(map(spelled, x))}]"
        case t.QualName() | str() | bytes() | int() | None:
            return str(x)
        case t.RangeEnd() | t.ParamKind():
            return str(x.value)
        case _:
            names = [f.name for f in fields(type(x)) if f.name != "at"]
            parts = (spelled(getattr(x, n)) for n in names)
            return f"({' '.join([type(x).__name__, *parts])})"


# ---------------------------------------------------------------------- made up

NAMES = ("x", "y'", "_z1", "order", "group", "by", "into", "f")
MODULES: tuple[tuple[str, ...], ...] = ((), (), (), ("m",), ("m", "n'"))
_SPELLED = (
    "+ - * / % ** // %% == != < > <= >= && || & | ^ << >> |> <| +++ <|> |>> !! =+ >-> f g' &&&"
)
OPERATORS = tuple(_SPELLED.split(" "))
LABELS = ("a", "b'", "0", "12")


class Maker:
    """Random trees that the grammar can spell, of a bounded depth."""

    def __init__(self, seed: int) -> None:
        self._r = random.Random(seed)

    def _some(self, make: Callable[[int], T], depth: int, least: int = 0) -> tuple[T, ...]:
        return tuple(make(depth) for _ in range(self._r.choice((least, least, least + 1, 2, 3))))

    def _maybe(self, make: Callable[[int], T], depth: int) -> T | None:
        return make(depth) if self._r.random() < 0.5 else None

    def _name(self) -> str:
        return self._r.choice(NAMES)

    def _names(self) -> tuple[str, ...]:
        return tuple(self._name() for _ in range(self._r.choice((0, 0, 1, 2))))

    def _qual(self, leaves: Sequence[str]) -> t.QualName:
        return t.QualName(self._r.choice(MODULES), self._r.choice(leaves), NOWHERE)

    def dec(self, depth: int) -> t.Dec:
        r, at = self._r, NOWHERE
        match r.randrange(8):
            case 7 if depth > 0:
                return self.module_dec(depth - 1)
            case 0:
                kind = r.choice((t.ParamKind.TYPE, t.ParamKind.SIZE_LIFTED, t.ParamKind.LIFTED))
                tparams = tuple(self.type_param() for _ in range(r.randrange(3)))
                return t.TypeDec(self._name(), tparams, self.type(depth), kind, at)
            case 1:
                return t.Local(self.dec(depth), at)
            case _:
                tparams = tuple(self.type_param() for _ in range(r.randrange(3)))
                params = self._some(self.pattern, 2)
                ret = self._maybe(self.type, 2)
                e, entry = self.exp(depth), r.random() < 0.2
                name = self._name() if entry or r.random() < 0.8 else r.choice(("+++", "<>"))
                return t.ValDec(name, tparams, params, ret, e, entry, at)

    def module_dec(self, depth: int) -> t.Dec:
        r, at = self._r, NOWHERE
        match r.randrange(3):
            case 0:
                return t.ModuleTypeDec(self._name(), self.sig(depth), at)
            case 1:
                return t.OpenModule(t.ModStruct(self._some(self.dec, depth), at), at)
            case _:
                params = self._some(self.module_param, depth)
                sig = self._maybe(self.sig, depth)
                return t.ModuleDec(self._name(), params, sig, self.module(depth), at)

    def module_param(self, depth: int) -> t.ModParam:
        return t.ModParam(self._name(), self.sig(depth), NOWHERE)

    def module(self, depth: int) -> t.ModExp:
        r, at, d = self._r, NOWHERE, depth - 1
        match r.randrange(6) if depth > 0 else 0:
            case 0:
                return t.ModName(self._qual(NAMES), at)
            case 5:
                return t.ModImport("lib/a", at)
            case 1:
                return t.ModStruct(self._some(self.dec, d), at)
            case 2:
                return t.ModApply(self.module(d), self.module(d), at)
            case 3:
                params = (self.module_param(d), *self._some(self.module_param, d))
                return t.ModLambda(params, self._maybe(self.sig, d), self.module(d), at)
            case _:
                return t.ModAscript(self.module(d), self.sig(d), at)

    def sig(self, depth: int) -> t.SigExp:
        r, at, d = self._r, NOWHERE, depth - 1
        match r.randrange(4) if depth > 0 else 0:
            case 0:
                return t.SigName(self._qual(NAMES), at)
            case 1:
                return t.SigSpecs(self._some(self.spec, d), at)
            case 2:
                tparams = tuple(self.type_param() for _ in range(r.randrange(2)))
                return t.SigWith(self.sig(d), self._qual(NAMES), tparams, self.type(d), at)
            case _:
                name = self._name() if r.random() < 0.5 else None
                return t.SigArrow(name, self.sig(d), self.sig(d), at)

    def spec(self, depth: int) -> t.Spec:
        r, at = self._r, NOWHERE
        tparams = tuple(self.type_param() for _ in range(r.randrange(2)))
        match r.randrange(4):
            case 0:
                return t.ValSpec(r.choice((*NAMES, "+++")), tparams, self.type(depth), at)
            case 1:
                return t.TypeSpec(self._name(), tparams, t.ParamKind.LIFTED, at)
            case 2:
                return t.ModSpec(self._name(), self.sig(depth), at)
            case _:
                return t.Include(self.sig(depth), at)

    def type_param(self) -> t.TypeParam:
        return t.TypeParam(self._r.choice(list(t.ParamKind)), self._r.choice("abn"), NOWHERE)

    def type(self, depth: int) -> t.TypeExp:
        r, d, at = self._r, depth - 1, NOWHERE
        if depth <= 0:
            return t.TEName(self._qual(NAMES), at)
        match r.randrange(10):
            case 0:
                arg = t.TESize(self._maybe(self.exp, d), at) if r.random() < 0.5 else self.type(d)
                return t.TEApply(self.type(d), arg, at)
            case 1 | 2:
                return t.TEArray(self._maybe(self.exp, d), self.type(d), at)
            case 3:
                return t.TETuple(self._tuple(self.type, d), at)
            case 4:
                fields_ = self._some(lambda k: (r.choice(LABELS), self.type(k)), d)
                return t.TERecord(fields_, at)
            case 5:
                clauses = self._some(lambda k: (self._name(), self._some(self.type, k)), d, 1)
                return t.TESum(clauses, at)
            case 6:
                name = self._name() if r.random() < 0.5 else None
                return t.TEArrow(name, self.type(d), self.type(d), at)
            case 7:
                return t.TEUnique(self.type(d), at)
            case 8:
                return t.TEExists(("n", "m")[: r.randrange(1, 3)], self.type(d), at)
            case _:
                return t.TEName(self._qual(NAMES), at)

    def _tuple(self, make: Callable[[int], T], depth: int) -> tuple[T, ...]:
        elems = self._some(make, depth)
        return elems if len(elems) != 1 else (*elems, make(depth))

    def pattern(self, depth: int) -> t.Pattern:
        r, d, at = self._r, depth - 1, NOWHERE
        match r.randrange(7 if depth > 0 else 2):
            case 0:
                return t.PVar(self._name() if r.random() < 0.9 else "+-", at)
            case 1:
                return t.PWild(at)
            case 2:
                return t.PTuple(self._tuple(self.pattern, d), at)
            case 3:
                fields_ = self._some(lambda k: (r.choice(LABELS), self.pattern(k)), d)
                return t.PRecord(fields_, at)
            case 4:
                return t.PConstr(self._name(), self._some(self.pattern, d), at)
            case 5:
                number = self._number()
                return t.PLit(t.Neg(number, at) if r.random() < 0.5 else number, at)
            case _:
                return t.PAscript(self.pattern(d), self.type(d), at)

    def _number(self) -> t.IntLit | t.FloatLit:
        r = self._r
        if r.random() < 0.5:
            suffix: ScalarType | None = r.choice((None, None, *INTS, *FLOATS))
            return t.IntLit(r.choice((0, 1, 7, 255, 2**70)), suffix, NOWHERE)
        value = r.choice((0.0, 1.5, 0.25, 1024.0, float("inf"), 2.0**-14))
        return t.FloatLit(value, r.choice((None, None, *FLOATS)), NOWHERE)

    def _dim(self, depth: int) -> t.Dim:
        if self._r.random() < 0.6:
            return t.FixDim(self.exp(depth), NOWHERE)
        parts = [self._maybe(self.exp, depth) for _ in range(3)]
        return t.SliceDim(*parts, NOWHERE)

    def exp(self, depth: int) -> t.Exp:
        if depth <= 0:
            return self._leaf()
        makers = (self._leaf, self._operation, self._operation, self._bracket, self._form)
        maker = self._r.choice(makers[1:])
        return maker(depth - 1)

    def _leaf(self, _: int = 0) -> t.Exp:
        r, at = self._r, NOWHERE
        match r.randrange(9):
            case 0 | 1 | 2:
                return t.Var(self._qual(NAMES), at)
            case 3:
                return t.Var(self._qual(OPERATORS[:-3]), at)
            case 4 | 5:
                return self._number()
            case 6:
                return r.choice((t.BoolLit(True, at), t.Hole(at), t.Constr("c", (), at)))
            case 7:
                return t.CharLit(r.choice([*map(ord, "a'\\\n\"é"), 0, 0x1F600]), at)
            case _:
                texts = ("", 'a"\\\n', "1\x001", "é😀", "a | b", "\x7f&")
                return t.StringLit(r.choice(texts).encode(), at)

    def _operation(self, d: int) -> t.Exp:
        r, at, e = self._r, NOWHERE, self.exp
        match r.randrange(13):
            case 0 | 1 | 2:
                return t.BinOp(self._qual(OPERATORS), e(d), e(d), at)
            case 3 | 4:
                return t.App(e(d), e(d), at)
            case 5:
                return t.Neg(e(d), at)
            case 6:
                return t.Not(e(d), at)
            case 7:
                return t.Range(e(d), self._maybe(e, d), e(d), r.choice(list(t.RangeEnd)), at)
            case 8:
                return t.Update(e(d), self._some(self._dim, d, 1), e(d), at)
            case 9:
                if r.random() < 0.5:
                    return t.PathUpdate(e(d), self._path(d), e(d), at)
                return t.RecordUpdate(e(d), ("a", "0")[: r.randrange(1, 3)], e(d), at)
            case 10:
                return t.Ascript(e(d), self.type(d), at)
            case 11:
                return t.Coerce(e(d), self.type(d), at)
            case _:
                return t.Project(e(d), r.choice(LABELS), at)

    def _path(self, d: int) -> tuple[t.Step, ...]:
        """Steps of both kinds, or several indices."""
        places = self._some(self._dim, d, 1)
        return self._r.choice((("a", places), (places, "0"), (places, places), ("0", places, "b")))

    def _bracket(self, d: int) -> t.Exp:
        r, at, e = self._r, NOWHERE, self.exp
        match r.randrange(11):
            case 0:
                return t.Tuple(self._tuple(e, d), at)
            case 1:
                return t.RecordLit(self._some(lambda k: (r.choice(LABELS), e(k)), d), at)
            case 2:
                return t.ArrayLit(self._some(e, d), at)
            case 3:
                return t.Constr(self._name(), self._some(e, d), at)
            case 4:
                return t.Index(e(d), self._some(self._dim, d, 1), at)
            case 5:
                return t.OpSectionLeft(e(d), self._qual(OPERATORS), at)
            case 6:
                op = self._qual([o for o in OPERATORS if o != "-"])
                return t.OpSectionRight(op, e(d), at)
            case 7:
                labels = t.ProjectSection(("a", "0", "b")[: r.randrange(1, 4)], at)
                places = t.IndexSection(self._some(self._dim, d, 1), at)
                return r.choice((labels, places, t.PathSection(self._path(d), at)))
            case 8:
                return t.Assert(e(d), e(d), "", at)
            case 9:
                return t.OpenIn(self._qual(NAMES), e(d), at)
            case _:
                q = self._qualifier(d)
                first = t.QBind(self.pattern(1), e(d), at)
                q = first if r.random() < 0.3 else t.QSeq((first, *self._parts(q)), at)
                return t.Comprehension(e(d), q, at)

    def _parts(self, q: t.Qualifier) -> tuple[t.Qualifier, ...]:
        return q.quals if isinstance(q, t.QSeq) else (q,)

    def _qualifier(self, d: int) -> t.Qualifier:
        r, at, e = self._r, NOWHERE, self.exp
        match r.randrange(7 if d > 0 else 4):
            case 0 | 1:
                return t.QBind(self.pattern(1), e(d), at)
            case 2:
                return t.QFilter(e(d), at)
            case 3:
                return t.QOrder(e(d), at)
            case 4:
                folds = self._some(lambda k: t.QFold(self._name(), e(k), e(k), e(k), at), d)
                return t.QGroup(self._maybe(lambda _: self._name(), d), e(d), folds, at)
            case 5:
                some = [self._binding(d - 1) for _ in range(2)]
                return t.QZip(tuple(some), at)
            case _:
                return t.QSeq((self._binding(d - 1), self._qualifier(d - 1)), at)

    def _binding(self, d: int) -> t.Qualifier:
        """A qualifier with a binding in it, so that parentheses around it show what it is."""
        bind = t.QBind(self.pattern(1), self.exp(d), NOWHERE)
        return bind if self._r.random() < 0.7 else t.QSeq((bind, self._qualifier(d)), NOWHERE)

    def _form(self, d: int) -> t.Exp:
        r, at, e, p = self._r, NOWHERE, self.exp, self.pattern
        match r.randrange(9):
            case 0:
                return t.If(e(d), e(d), e(d), at)
            case 1 | 2:
                return t.Let(self._names(), p(2), e(d), e(d), at)
            case 3:
                tparams = tuple(self.type_param() for _ in range(r.randrange(3)))
                params = (p(1), *self._some(p, 1))
                ret = self._maybe(self.type, 2)
                return t.LetFun(self._name(), tparams, params, ret, e(d), e(d), at)
            case 4:
                return t.LetWith(self._name(), self._some(self._dim, d, 1), e(d), e(d), at)
            case 5:
                form: t.ForLess | t.ForIn | t.While = r.choice(
                    (
                        t.ForLess(self._name(), e(d), at),
                        t.ForIn(p(1), e(d), at),
                        t.While(e(d), at),
                    )
                )
                return t.Loop(self._names(), p(2), self._maybe(e, d), form, e(d), at)
            case 6 | 7:
                return t.Match(e(d), self._some(lambda k: t.Case(p(2), e(k), at), d, 1), at)
            case _:
                return t.Lambda((p(1), *self._some(p, 1)), self._maybe(self.type, 2), e(d), at)
