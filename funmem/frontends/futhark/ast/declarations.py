"""Declarations, module expressions, module types and files."""

from typing import TypeAlias

from attrs import field

from funmem.frontends.futhark.ast.expressions import Exp
from funmem.frontends.futhark.ast.nodes import Node, QualName
from funmem.frontends.futhark.ast.patterns import Pattern
from funmem.frontends.futhark.ast.type_exps import ParamKind, TypeExp, TypeParam
from funmem.ir.diagnostics import Span
from funmem.ir.record import frozen


@frozen(eq=False)
class ValDec(Node):
    """``def f [n] 'a (p) … : te = e``; without parameters, a constant or a point-free function."""

    name: str
    tparams: tuple[TypeParam, ...]
    params: tuple[Pattern, ...]
    ret: TypeExp | None
    exp: Exp
    entry: bool
    at: Span


@frozen(eq=False)
class TypeDec(Node):
    """``type t 'a [n] = te``; ``kind`` is TYPE, SIZE_LIFTED (``type~``) or LIFTED (``type^``)."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    kind: ParamKind
    at: Span


@frozen(eq=False)
class Open(Node):
    """``open m``."""

    module: QualName
    at: Span


@frozen(eq=False)
class Import(Node):
    """``open import "path"``, or ``module m = import "path"``; ``import "path"`` is local."""

    path: str
    name: str | None
    at: Span


@frozen(eq=False)
class Local(Node):
    """``local d``: not exported to files that import this one."""

    dec: "Dec"
    at: Span


# ---------------------------------------------------------------------- modules


@frozen(eq=False)
class ModName(Node):
    """``m``, ``m.n``."""

    name: QualName
    at: Span


@frozen(eq=False)
class ModImport(Node):
    """``import "path"`` as a module expression."""

    path: str
    at: Span


@frozen(eq=False)
class ModStruct(Node):
    """``{ d… }``."""

    decs: "tuple[Dec, ...]"
    at: Span


@frozen(eq=False)
class ModApply(Node):
    """``f m``, a parametric module applied to one argument."""

    fn: "ModExp"
    arg: "ModExp"
    at: Span


@frozen(eq=False)
class ModParam(Node):
    """``(m: s)``."""

    name: str
    sig: "SigExp"
    at: Span


@frozen(eq=False)
class ModLambda(Node):
    r"""``\(m: s) … : s -> e``."""

    params: tuple[ModParam, ...]
    sig: "SigExp | None"
    body: "ModExp"
    at: Span


@frozen(eq=False)
class ModAscript(Node):
    """``e : s``."""

    exp: "ModExp"
    sig: "SigExp"
    at: Span


ModExp: TypeAlias = ModName | ModImport | ModStruct | ModApply | ModLambda | ModAscript


@frozen(eq=False)
class SigName(Node):
    """The name of a module type."""

    name: QualName
    at: Span


@frozen(eq=False)
class SigSpecs(Node):
    """``{ val … type … }``."""

    specs: "tuple[Spec, ...]"
    at: Span


@frozen(eq=False)
class SigWith(Node):
    """``s with t 'a = te``."""

    sig: "SigExp"
    type: QualName
    tparams: tuple[TypeParam, ...]
    image: TypeExp
    at: Span


@frozen(eq=False)
class SigArrow(Node):
    """``(m: s) -> s`` or ``s -> s``, the type of a parametric module."""

    name: str | None
    param: "SigExp"
    result: "SigExp"
    at: Span


SigExp: TypeAlias = SigName | SigSpecs | SigWith | SigArrow


@frozen(eq=False)
class ValSpec(Node):
    """``val f [n] 'a : te``."""

    name: str
    tparams: tuple[TypeParam, ...]
    type: TypeExp
    at: Span


@frozen(eq=False)
class TypeSpec(Node):
    """``type t 'a``, an abstract type."""

    name: str
    tparams: tuple[TypeParam, ...]
    kind: ParamKind
    at: Span


@frozen(eq=False)
class ModSpec(Node):
    """``module m : s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class Include(Node):
    """``include s``."""

    sig: SigExp
    at: Span


Spec: TypeAlias = ValSpec | TypeSpec | TypeDec | ModSpec | Include


@frozen(eq=False)
class ModuleDec(Node):
    """``module m (p: s) … : s = e``."""

    name: str
    params: tuple[ModParam, ...]
    sig: SigExp | None
    exp: ModExp
    at: Span


@frozen(eq=False)
class ModuleTypeDec(Node):
    """``module type t = s``."""

    name: str
    sig: SigExp
    at: Span


@frozen(eq=False)
class OpenModule(Node):
    """``open e`` for a module expression other than a name."""

    exp: ModExp
    at: Span


PlainDec: TypeAlias = ValDec | TypeDec | Open | Import | ModuleDec | ModuleTypeDec | OpenModule
"""A declaration without ``local``."""

Dec: TypeAlias = PlainDec | Local


@frozen(eq=False)
class SourceFile(Node):
    """A program file: its declarations, in order."""

    decs: tuple[Dec, ...]
    at: Span = field()
