"""Records: classes with slots, compared by their fields, that are cheap to define and to create.

``@frozen`` is the part of ``attrs.frozen``, with ``attrs.field``, that records need; ``@define``,
for mutable records, is that of ``attrs.define``.  attrs generates and compiles code for each class;
here it is shared, or generated on first use, which with some four hundred classes saves a third of
the time of ``funmem check``.  ``attrs.fields``, ``asdict`` and ``evolve`` work on these classes.
"""

from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from attrs import define, evolve, frozen  # what a type checker knows of them
else:

    class Field:
        """A field of a record, with the names of ``attrs.Attribute``.

        ``alias``: its name as a parameter; ``eq_key``: a function of the value that is compared.
        """

        __slots__ = (
            "alias",
            "converter",
            "default",
            "eq",
            "eq_key",
            "init",
            "name",
            "repr",
            "type",
        )

        def __init__(self, name, type_, given):
            self.name, self.type, self.alias = name, type_, name.lstrip("_")
            if not isinstance(given, _GIVEN):
                self.default, self.converter, self.eq_key = given, None, None
                self.init = self.repr = self.eq = True
                return
            if given._validator or given.kw_only or given.alias or given.on_setattr:
                raise TypeError(f"field `{name}`: a record's field has no such option")
            self.default, self.converter = given._default, given.converter
            self.init, self.repr = given.init, given.repr
            self.eq, self.eq_key = given.eq, given.eq_key

    _GIVEN = type(attrs.field())
    _OF_EXCEPTIONS = (
        "__cause__",
        "__context__",
        "__notes__",
        "__suppress_context__",
        "__traceback__",
    )

    class _Init:
        """``__init__`` of a record, created on first use.

        It stores through the slots themselves, which takes a quarter less time than by name.
        """

        __slots__ = ("fields", "of")

        def __init__(self, of, fields):
            self.of, self.fields = of, fields

        def __get__(self, record, owner=None):
            made = self.made()
            self.of.__init__ = made
            return made if record is None else made.__get__(record)

        def made(self):
            names, defaults, annotations = ["self"], [], {"return": None}
            shape, parts = [], []
            for f in self.fields:
                default = f.default
                factory = isinstance(default, attrs.Factory)
                if not f.init and default is attrs.NOTHING:
                    continue
                if f.init:
                    names.append(f.alias)
                    annotations[f.alias] = f.type
                    if default is not attrs.NOTHING:
                        defaults.append(attrs.NOTHING if factory else default)
                shape.append((f.init, factory, factory and default.takes_self, bool(f.converter)))
                fresh = default.factory if factory else default
                parts += getattr(self.of, f.name).__set__, fresh, f.converter
            made = _maker(tuple(shape), hasattr(self.of, "__attrs_post_init__"))(*parts)
            where = f"{self.of.__module__}.{self.of.__qualname__}"
            made.__qualname__ = f"{self.of.__qualname__}.__init__"
            made.__code__ = made.__code__.replace(
                co_varnames=tuple(names),
                co_filename=f"<__init__ of {where}>",
                co_qualname=made.__qualname__,
            )
            made.__defaults__ = tuple(defaults)
            made.__module__ = self.of.__module__
            made.__annotations__ = annotations
            return made

    @cache
    def _maker(shape, post_init):
        """Return a function that makes ``__init__`` from slots, defaults and converters.

        It is compiled once for all classes whose fields have the same shape: for each field, if it
        is a parameter, has a factory, if that takes the record, and if it has a converter.
        """
        given, params, lines = [], ["self"], []
        for k, (init, factory, takes_self, converted) in enumerate(shape):
            given += f"store{k}", f"default{k}", f"converter{k}"
            value = f"value{k}" if init else f"default{k}"
            if init:
                params.append(value)
            if factory:
                fresh = f"default{k}({'self' if takes_self else ''})"
                value = f"{fresh} if {value} is NOTHING else {value}" if init else fresh
            if converted:
                value = f"converter{k}({value})"
            lines.append(f"store{k}(self, {value})")
        if post_init:
            lines.append("self.__attrs_post_init__()")
        body = "\n  ".join(lines or ["pass"])
        text = f"def make({', '.join(given)}):\n def __init__({', '.join(params)}):\n  {body}\n"
        names = {"NOTHING": attrs.NOTHING}
        exec(compile(text + " return __init__", "<__init__ of records>", "exec"), names)
        return names["make"]

    def _refuse(_record, _name):
        raise attrs.exceptions.FrozenInstanceError

    def _refuse_but_python(record, name, value):
        """Refuse to set a field; Python sets an exception's own attributes when it is raised."""
        if not (isinstance(record, BaseException) and name in _OF_EXCEPTIONS):
            raise attrs.exceptions.FrozenInstanceError
        BaseException.__setattr__(record, name, value)

    def frozen(cls=None, *, eq=True):
        """Make a frozen class with slots; ``field(eq=False)`` and ``field(eq=key)`` are respected.

        With ``eq=False``, records are compared and hashed by identity.  The code uses plain loops:
        trees are deep, and each comprehension would cost a frame per level.  Methods cannot call
        ``super()``, since slots need a new class.  A class with a ``cached_property`` has a
        ``__dict__`` for it.

        Raises:
            TypeError: a field has options that records do not support.
            ValueError: a field without a default follows one that has a default.

        """
        if cls is None:
            return lambda c: frozen(c, eq=eq)
        return _record(cls, eq, fixed=True)

    def define(cls=None, *, eq=True):
        """Make a class whose fields may be set; if it compares them, it is not hashable."""
        if cls is None:
            return lambda c: define(c, eq=eq)
        return _record(cls, eq, fixed=False)

    def _record(cls, eq, fixed):
        def equal(self, other):
            if other.__class__ is not self.__class__:
                return NotImplemented
            for part in parts:
                a, b = part(self), part(other)
                if not (a is b or a == b):
                    return False
            return True

        def hashed(self):
            values = [name]
            for part in parts:
                values.append(part(self))
            return hash(tuple(values))

        def represent(self):
            shown = []
            for f in fields:
                if f.repr:
                    shown.append(f"{f.name}={getattr(self, f.name)!r}")
            return f"{made.__qualname__}({', '.join(shown)})"

        def get_state(self):
            return tuple([getattr(self, f.name) for f in kept])

        def set_state(self, state):
            for f, value in zip(kept, state, strict=True):
                getattr(made, f.name).__set__(self, value)
            for f in remembered:
                fresh = f.default.factory() if isinstance(f.default, attrs.Factory) else f.default
                getattr(made, f.name).__set__(self, fresh)

        own, name = vars(cls), cls.__name__
        fields, new = _fields(cls, own)
        remembered = tuple([f for f in fields if _is_remembered(f)])
        kept = tuple([f for f in fields if f not in remembered])
        body = {k: v for k, v in own.items() if k not in new}
        body.pop("__dict__", None)
        body.pop("__weakref__", None)
        weak = () if any(hasattr(b, "__weakref__") for b in cls.__mro__[1:]) else ("__weakref__",)
        cached = ("__dict__",) * any(isinstance(v, cached_property) for v in own.values())
        body["__slots__"] = (*new, *weak, *cached)
        body["__attrs_attrs__"] = fields
        given = [f for f in fields if f.init]
        body["__given__"] = _values(given), {f.alias: k for k, f in enumerate(given)}
        if fixed:
            body["__setattr__"] = _refuse_but_python
            body["__delattr__"] = _refuse
        body.setdefault("__match_args__", tuple([f.name for f in fields if f.init]))
        body.setdefault("__repr__", represent)
        body.setdefault("__getstate__", get_state)
        body.setdefault("__setstate__", set_state)
        if eq and "__eq__" not in own:
            body["__eq__"] = equal
            if own.get("__hash__") is None:
                body["__hash__"] = hashed if fixed else None
        made = type(cls)(name, cls.__bases__, body)
        if "__init__" not in own:
            made.__init__ = _Init(made, fields)
        parts = tuple([_part(f) for f in fields if f.eq])
        return made

    def _is_remembered(f):
        """True for a field that only remembers what its record determines.

        It is not pickled: equal records give equal bytes, however much they have been asked.
        """
        return not (f.init or f.eq) and f.default is not attrs.NOTHING

    def _fields(cls, own):
        """Return all fields of a record, inherited ones first, and the names of its own."""
        found = {}
        for base in cls.__mro__[:0:-1]:
            for f in vars(base).get("__attrs_attrs__", ()):
                found.pop(f.name, None)
                found[f.name] = f
        new = own.get("__annotations__", {})
        for name, type_ in new.items():
            found.pop(name, None)
            found[name] = Field(name, type_, own.get(name, attrs.NOTHING))
        optional = ""
        for f in found.values():
            if f.init and f.default is not attrs.NOTHING:
                optional = f.name
            elif f.init and optional:
                raise ValueError(f"{cls.__qualname__}: `{f.name}` has no default, `{optional}` has")
        return tuple(found.values()), tuple(new)

    def evolve(record, **changes):
        """Return the record with some fields changed, as ``attrs.evolve`` in half the time."""
        values, places = record.__given__
        values = [*values(record)]
        for given, value in changes.items():
            values[places[given]] = value
        return record.__class__(*values)

    def _values(fields):
        """Return the function of a record that gives the values of some fields."""
        get = attrgetter(*[f.name for f in fields]) if fields else lambda _: ()
        return get if len(fields) != 1 else lambda x: (get(x),)

    def _part(field):
        """Return the function of a record that gives the compared value of one field."""
        get, key = attrgetter(field.name), field.eq_key
        return get if key is None else lambda x: key(get(x))


__all__ = ["define", "evolve", "frozen"]
