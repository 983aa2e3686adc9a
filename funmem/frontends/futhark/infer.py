"""Type checking of a program: files and their declarations in order, then the prelude on demand.

A definition of the program is checked in place and sees the definitions above it.  A definition of
the prelude states its type, which is all that its users need; its body is checked only if the
program reaches it, or if ``all`` is given.
"""

from collections.abc import Sequence

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins import INTRINSICS_MODULE, SCALAR_NAMES
from funmem.frontends.futhark.errors import (
    Noted,
    fail,
)
from funmem.frontends.futhark.infer_definition import Definer
from funmem.frontends.futhark.infer_module_names import AnyModule, contents
from funmem.frontends.futhark.infer_modules import Modules
from funmem.frontends.futhark.infer_operators import OVERLOADED, SHORT_CIRCUIT
from funmem.frontends.futhark.infer_signatures import once
from funmem.frontends.futhark.library import Stated
from funmem.frontends.futhark.loader import Loaded
from funmem.frontends.futhark.module_types import PREDEFINED
from funmem.frontends.futhark.scope import (
    TYPE,
    VALUE,
    BuiltinModule,
    Global,
    Names,
    Parametric,
    Signature,
    unique,
)
from funmem.frontends.futhark.typing import Typing
from funmem.ir.diagnostics import (
    SourceError,
    Span,
)
from funmem.ir.names import Fresh, Name


def check(
    files: Loaded, prelude: Sequence[Stated], all: bool = False, noted: Noted | None = None
) -> Typing:
    """Check a program and return its tables.  Raises SourceError.

    ``all``: check every definition of the prelude, not only those that the program reaches.
    ``noted``: collect the errors here instead of raising the first one; the tables then hold the
    definitions without errors.
    """
    program = _Program(files, noted)
    program.reserve(files.files[files.root])
    for stated in prelude:
        program.from_prelude(stated)
    for path, tree in files.files.items():
        program.file(path, tree)
    if all:
        for g in program.prelude_globals:
            program.definer.require(g)
    return program.definer.finish(program.entries)


class _Program:
    """The state of checking one program."""

    def __init__(self, files: Loaded, noted: Noted | None = None) -> None:
        self.loaded = files
        self.noted = noted
        self.definer = Definer(Typing(), Fresh(()), noted)
        self.reserved: dict[str, Name] = {}
        self.entries: list[Name] = []
        self.exports: dict[str, Names] = {}
        scalars = {name: BuiltinModule(name) for name in SCALAR_NAMES}
        intrinsics = BuiltinModule(INTRINSICS_MODULE)
        self.inner = Names(modules={**scalars, INTRINSICS_MODULE: intrinsics})
        """The names in scope in the prelude: its own definitions and the intrinsics."""
        self.outer = Names(modules=dict(self.inner.modules))
        """The names in scope in every file of the program."""
        self.predefined: dict[str, Signature] = {}
        for name in PREDEFINED:
            self.predefined[name] = Signature(None, Names(sigs=self.predefined), name)
        self.prelude_globals: list[Global] = []
        self.modules = Modules(self._nested, self.definer, self._imported)

    def reserve(self, root: ast.SourceFile) -> None:
        """Reserve the names of the root file's definitions, so that they stay as written."""
        for dec in root.decs:
            if isinstance(dec, ast.ValDec) and dec.name not in self.reserved:
                self.reserved[dec.name] = unique(self.definer.fresh, dec.name)

    # ------------------------------------------------------------------ the prelude

    def from_prelude(self, stated: Stated) -> None:
        """Declare a definition of the prelude."""
        name = stated.name
        g = Global(unique(self.definer.fresh, name), stated, self.inner, prelude=True, lazy=True)
        self.prelude_globals.append(g)
        self.inner.values[name] = self.outer.values[name] = g

    # ------------------------------------------------------------------ the program

    def file(self, path: str, tree: ast.SourceFile) -> None:
        """Check the declarations of a file in order."""
        names = self.outer.copy()
        names.sigs.update(self.predefined)
        self.exports[path] = self._declarations(tree.decs, names, path == self.loaded.root)

    def _imported(self, exp: ast.ModImport) -> Names:
        return self.exports[self.loaded.imports[exp]]

    def _nested(self, decs: tuple[ast.Dec, ...], names: Names) -> Names:
        for dec in decs:
            if isinstance(dec, ast.ValDec) and dec.entry:
                fail(dec.at, "module-mismatch", "an entry point must not be inside a module")
        return self._declarations(decs, names, False)

    def _declarations(self, decs: tuple[ast.Dec, ...], names: Names, root: bool) -> Names:
        """Check declarations in order, with ``names`` in scope, and return their exports."""
        exports = Names()
        seen: dict[tuple[str, str], Span] = {}
        for dec in decs:
            local = isinstance(dec, ast.Local)
            while isinstance(dec, ast.Local):
                dec = dec.dec
            offers = Names() if local else exports
            try:
                self._declaration(dec, names, offers, seen, root)
            except SourceError as error:
                if self.noted is None:
                    raise
                self.noted.note(error)
                _lost(dec, names, offers, error.diagnostic.code != "unused-size")
        return exports

    def _declaration(
        self,
        dec: ast.PlainDec,
        names: Names,
        offers: Names,
        seen: dict[tuple[str, str], Span],
        root: bool,
    ) -> None:
        match dec:
            case ast.ValDec():
                self._value(dec, names, offers, seen, root)
            case ast.TypeDec(name, at=at):
                once(seen, ("type", name), at)
                entry = self.definer.abbreviation(names, dec)
                names.types[name] = offers.types[name] = entry
            case ast.Import(_, None):
                found = self.exports[self.loaded.imports[dec]]
                names.open(found)
                offers.open(found)
            case ast.Open(module, at):
                self._open(ast.ModName(module, module.at), names, offers)
            case ast.OpenModule(exp):
                self._open(exp, names, offers)
            case ast.Import() | ast.ModuleDec() | ast.ModuleTypeDec():
                self._module(dec, names, offers, seen)

    def _value(
        self,
        dec: ast.ValDec,
        names: Names,
        offers: Names,
        seen: dict[tuple[str, str], Span],
        root: bool,
    ) -> None:
        name = dec.name
        once(seen, ("value", name), dec.at)
        if name in SHORT_CIRCUIT:
            hint = "its right operand is evaluated only if the left one does not decide the result"
            fail(dec.at, "not-redefinable", f"`{name}` must not be redefined", hint)
        taken = self.reserved.get(name) if root else None
        g = Global(taken or unique(self.definer.fresh, name), dec, names)
        g.abstract = self.definer.trials > 0
        if not names.has(name) and name not in OVERLOADED:
            names.bind(name, g)  # f may call itself, unless the name already has a meaning
        self.definer.define(g)
        for target in (names, offers):
            target.bind(name, g)
        if root and (dec.entry or name == "main"):
            self.definer.check_entry(g)
            self.entries.append(g.name)

    def _open(self, exp: ast.ModExp, names: Names, offers: Names) -> None:
        found = contents(self.modules.plain(names, exp))
        names.open(found)
        offers.open(found)

    def _module(
        self,
        dec: ast.Import | ast.ModuleDec | ast.ModuleTypeDec,
        names: Names,
        offers: Names,
        seen: dict[tuple[str, str], Span],
    ) -> None:
        made: AnyModule
        match dec:
            case ast.Import(_, str(name), at):
                made = self.exports[self.loaded.imports[dec]]
            case ast.ModuleTypeDec(name, sig, at):
                once(seen, ("module type", name), at)
                self.modules.declared(names, sig)
                names.sigs[name] = offers.sigs[name] = Signature(sig, names.copy())
                return
            case ast.ModuleDec(name, (), sig, exp, at):
                made = self.modules.of(names, exp, f"{name}.")
                if sig is not None:
                    made = self.modules.restrict(names, made, sig, exp.at, f"{name}.")
            case ast.ModuleDec(name, params, sig, exp, at):
                made = self.modules.parametric(Parametric(params, sig, exp, names.copy()))
            case ast.Import():  # without a name: :meth:`_declaration` opens the file
                raise AssertionError(dec)
        once(seen, ("value", name), at)
        for target in (names, offers):
            target.bind(name, made)


def _lost(dec: ast.PlainDec, names: Names, offers: Names, stated: bool) -> None:
    """Mark the names of a declaration with an error as having no known meaning.

    A definition that states its type keeps it, if ``stated``: the error is not in the type.
    """
    for target in (names, offers):
        match dec:
            case ast.ValDec(name):
                g = names.values.get(name)
                if stated and isinstance(g, Global) and g.stated is dec and g.scheme is not None:
                    target.bind(name, g)
                else:
                    target.lose(VALUE, name)
            case ast.TypeDec(name) | ast.ModuleTypeDec(name):
                target.lose(TYPE, name)
            case ast.ModuleDec(name) | ast.Import(_, str(name)):
                target.lose(VALUE, name)
            case ast.Import() | ast.Open() | ast.OpenModule():
                target.lose(VALUE, "*")
                target.lose(TYPE, "*")
