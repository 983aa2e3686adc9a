"""The wording of Futhark's own compiler for our error messages.

Test comments written for Futhark expect its wording: ``error: Sizes "n" and "m" do not match``. An
expected compile error is therefore searched in both wordings.  A rule applies to the messages of
one code that match its pattern.  The wording is that of version 0.25, with the names and types of
the message inserted.
"""

import re

from funmem.ir.diagnostics import Diagnostic
from funmem.ir.record import frozen


@frozen
class Rule:
    """Messages of ``code`` that match ``pattern``, and Futhark's wording, which refers to its
    groups.
    """

    code: str
    pattern: str
    words: str


_DIFFER = r"(?s)^(?P<what>.*?) is (?P<actual>.*?), but should be (?P<expected>[^\n]*)"
_APPLY = (
    'Cannot apply "\\g<1>" to "…" (invalid type).',
    "Expected: \\g<3>",
    "Actual:   \\g<2>",
)


def rule(code: str, pattern: str, *lines: str) -> Rule:
    """Return a rule whose wording has these lines."""
    return Rule(code, pattern, "\n".join(lines))


RULES = (
    # names
    rule("unknown-name", r"`(?:[^`]*`:? .*`)?([^`]+)` is in scope", 'Unknown name "\\1".'),
    rule("unknown-name", r"unknown name `([^`]+)`", 'Unknown name "\\1".'),
    rule("recursion", r"^`([^`]+)`", 'Unknown name "\\1".'),
    rule("unknown-type", r"`([^`]+)`", 'Unknown type "\\1".'),
    rule("unknown-module", r"`([^`]+)`", 'Unknown name "\\1".', 'Unknown module "\\1".'),
    rule(
        "unknown-name",
        r"`([^`]+)` begins with an underscore",
        'Use of "\\1": variables prefixed with underscore may not be accessed.',
    ),
    rule(
        "unknown-field",
        r"field `([^`]+)` in (.*)",
        'Attempt to access field "\\1" of value of type \\2.',
    ),
    rule(
        "unknown-field",
        r"^(.*) has no fields, so no `([^`]+)`",
        "Types",
        "\\1",
        "and",
        "{\\2: t}",
        "do not match.",
    ),
    rule("duplicate-name", r"`([^`]+)` is already bound at (.*)", 'Name "\\1" also bound at \\2.'),
    rule("duplicate-name", r"the parameter `([^`]+)` occurs twice", 'Name "\\1" also bound at'),
    rule(
        "duplicate-name",
        r"`([^`]+)` is already defined at (.*)",
        "Duplicate definition of name \\1.",
        "Duplicate definition of type \\1.",
        "Previously defined at \\2.",
    ),
    rule(
        "duplicate-name",
        r"field `([^`]+)` occurs twice",
        'Field "\\1" previously defined at. Duplicate record fields in',
    ),
    rule("duplicate-name", r"constructor `([^`]+)` occurs twice", "Duplicate constructors in \\1"),
    rule("import", r"`([^`]+)`", 'Could not read file "\\1".'),
    rule("import-cycle", r"each other: (.*)", "Import cycle: \\1"),
    rule("module-mismatch", r"has no (\w+) `([^`]+)`", 'Module does not define a \\1 named "\\2".'),
    rule("module-mismatch", r"has no parameters", "Cannot apply non-parametric module."),
    rule("module-mismatch", r"module is parametric", "Cannot have parametric module here."),
    rule("type-mismatch", r"^the module's", "Module type specifies", "but module provides"),
    rule("module-mismatch", r"an entry point", "Entry points may not be declared inside modules."),
    # types
    rule("type-mismatch", _DIFFER, "Expected: \\g<expected>", "Actual:   \\g<actual>"),
    rule("type-mismatch", _DIFFER, "Types", "\\g<expected>", "and", "\\g<actual>", "do not match."),
    rule(
        "type-mismatch", r"(?s)^argument \d+ of `?(.*?)`? is (.*?), but should be ([^\n]*)", *_APPLY
    ),
    rule(
        "type-mismatch",
        r"(?s)^the (?:left|right) operand of `(.*?)` is (.*?), but should be ([^\n]*)",
        *_APPLY,
    ),
    rule(
        "type-mismatch",
        r"(?s)^the (?:left|right) operand of `(.*?)` cannot be ",
        'Cannot apply "\\1" (invalid type).',
        "does not support equality (may contain function).",
    ),
    rule(
        "type-mismatch",
        r"(?s)^this branch of .*? is (.*?), but should be ([^\n]*)",
        "Branches differ in type.",
        "Former: \\2",
        "Latter: \\1",
    ),
    rule(
        "type-mismatch",
        r"^the condition of",
        "Expression must have type bool.",
        "use as 'if' condition",
    ),
    rule(
        "type-mismatch",
        r"^the pattern is",
        "Pattern cannot match value of type",
        "Unshared fields:",
    ),
    rule("type-mismatch", r"^the body of `", "Function body does not have expected type."),
    rule("type-mismatch", r"^the body of the loop", "Loop body does not have expected type."),
    rule(
        "type-mismatch",
        r"^the expression is",
        "Expression does not have expected type from explicit ascription.",
    ),
    rule("type-mismatch", r"has no constructor", "Unshared constructors:"),
    rule(
        "type-mismatch",
        r"(?s) is (?:a number|an integer|a float|a signed integer|one of)",
        "Cannot unify type with any of.",
        "Cannot instantiate type, it must be one of",
    ),
    rule("type-mismatch", r"a signed integer", "Cannot unify type with any of i8, i16, i32, i64."),
    rule(
        "type-mismatch",
        r"must not be a function",
        "found to be functional.",
        "When verifying that it is not instantiated with a function type",
    ),
    rule("type-mismatch", r"(?i)itself|occurs", "Occurs check: cannot instantiate"),
    rule(
        "ambiguous-type",
        r"a record with `?(.*?)`?$",
        "Type is ambiguous.  Must be record with fields:",
        "\\1",
        "Add a type annotation to disambiguate the type.",
        "Full type is not known at this point.",
    ),
    rule(
        "ambiguous-type",
        r"a sum with `(.*?)`",
        "Type is ambiguous (must be a sum type with constructors: \\1).",
    ),
    rule("ambiguous-type", r"compared", "Type is ambiguous (must be equality type)."),
    rule(
        "not-a-function",
        r"^`?(.*?)`? is applied, but it is (.*), not",
        'Cannot apply "\\1" as function, as it has type:',
        "\\2",
    ),
    rule(
        "too-many-arguments",
        r"^`?(.*?)`? takes (\d+)",
        'Cannot apply "\\1" to argument, as "\\1" only takes \\2 argument.',
    ),
    rule("not-an-array", r"it is (.*)", "Types", "[]t", "and", "\\1", "do not match."),
    rule(
        "functional-result",
        r"^an element .* is (.*)",
        "Type",
        "\\1",
        "found to be functional.",
        "When checking type used in array",
    ),
    rule(
        "functional-result",
        r"^the result of .* is (.*)",
        "Type",
        "\\1",
        "found to be functional.",
        "When checking type returned from branch",
    ),
    rule(
        "functional-result",
        r"^a parameter of a loop .* is (.*)",
        "Type",
        "\\1",
        "found to be functional.",
        "When checking type used as loop variable",
    ),
    rule("functional-result", r"", "found to be functional."),
    rule(
        "literal-range",
        r"literal (\S+) is not in the range of (\w+)",
        "Literal \\1 out of bounds for inferred type \\2.",
    ),
    rule(
        "type-arguments",
        r"`([^`]+)` takes (\d+) arguments?, but has (\d+) here",
        'Type constructor "\\1" requires \\2 arguments, but provided \\3.',
    ),
    rule(
        "type-arguments",
        r"`([^`]+)` takes .*, but has none here",
        'Type constructor "\\1" used without any arguments.',
    ),
    rule("type-arguments", r"^only", "is not a type constructor."),
    rule(
        "type-kind",
        r"contains a function",
        "Non-lifted type abbreviations may not contain functions.",
        "Hint: consider using 'type^'.",
    ),
    rule(
        "type-kind",
        r"`([^`]+)` has a size that",
        "Non-lifted type abbreviations may not use existential sizes in their definition.",
        "Hint: use 'type~' or add size parameters to \"\\1\".",
    ),
    rule("match-cases", r"no case matches (.*)", "Unmatched cases in match expression:", "\\1"),
    rule(
        "refutable-pattern",
        r"does not match (.*)",
        "Refutable pattern not allowed here.",
        "Unmatched cases:",
        "\\1",
    ),
    rule("entry-polymorphic", r"", "Entry point functions may not be polymorphic."),
    rule("entry-higher-order", r"", "Entry point functions may not be higher-order."),
    rule("syntax", r"found the end", "Unexpected end of file.", "Expected one of the following:"),
    rule("syntax", r"found `(.*)`", "Unexpected token: '\\1'", "Expected one of the following:"),
    # sizes
    rule(
        "size-mismatch",
        r"\n  (.*) and (.*) differ",
        'Sizes "\\2" and "\\1" do not match.',
        'Dimensions "\\2" and "\\1" do not match.',
    ),
    rule("size-mismatch", _DIFFER, "Expected: \\g<expected>", "Actual:   \\g<actual>"),
    rule(
        "size-mismatch", r"(?s)^argument \d+ of `?(.*?)`? is (.*?), but should be ([^\n]*)", *_APPLY
    ),
    rule("size-mismatch", r"^the body of `", "Function body does not have expected type."),
    rule("size-mismatch", r"^the body of the loop", "Loop body does not have expected type."),
    rule(
        "size-mismatch",
        r"^the expression is",
        "Expression does not have expected type from explicit ascription.",
    ),
    rule(
        "size-mismatch",
        r"\n  (.*) is the size of the result of `(.*)` at (\S*)",
        '"\\1" is unknown size returned by "\\2" at \\3.',
    ),
    rule(
        "size-mismatch",
        r"\n  (.*) is a size that differs between the branches of",
        '"\\1" is unknown due to conditional expression at',
    ),
    rule("size-mismatch", r"is not known where", "(scope violation)."),
    rule(
        "size-escape",
        r"makes an array of size (\S+), but (\S+) is",
        'Cannot unify type with "\\2" (scope violation).',
        'This is because "\\2" is rigidly bound in a deeper scope.',
        "Type variable cannot be instantiated with type containing anonymous sizes:",
        "[\\1]",
        "Existential size would appear in function parameter of return type",
    ),
    rule(
        "ambiguous-size",
        r"size `([^`]+)` of `([^`]+)`",
        'Ambiguous size "\\1" arising from instantiated size parameter of "\\2".',
        'Causality check: size "\\1" needed for type is computed at',
    ),
    rule(
        "unused-size",
        r"`\[([^`]+)\]` occurs in no type of a parameter",
        "Cannot generalise type.",
        "Size [\\1] unused in pattern.",
    ),
    rule(
        "unused-size",
        r"`\[([^`]+)\]` occurs in no type of the pattern",
        "Cannot bind [\\1] as it is never used as the size of a concrete (non-function) value.",
        'Size "\\1" unused in pattern.',
    ),
    rule(
        "unused-size",
        r"`\[([^`]+)\]` occurs nowhere in this abbrev",
        'Size parameter "[\\1]" unused.',
    ),
    rule(
        "unused-size",
        r"`\[([^`]+)\]` occurs nowhere in this type",
        'Existential size "\\1" not used as array size.',
    ),
    # uniqueness
    rule(
        "use-after-consume",
        r"^`([^`]+)` is used here, but was consumed at (\S+)",
        'Using variable "\\1", but this was consumed at \\2.  (Possibly through aliases.)',
    ),
    rule(
        "use-after-consume",
        r"^`([^`]+)` may share elements with .* consumed at (\S+)",
        'Using variable "\\1", but this was consumed at \\2.  (Possibly through aliases.)',
    ),
    rule("not-consumable", r"^`([^`]+)`", 'Consuming variable "\\1", which is not consumable.'),
    rule("not-consumable", r"", "which is not consumable."),
    rule(
        "argument-alias",
        r"",
        "Argument is consumed, but aliases",
        "which is also aliased by other argument",
    ),
    rule("self-alias", r"", "Argument passed for consuming parameter is self-aliased."),
    rule("update-alias", r"", "Source array for in-place update", "might alias update value"),
    rule(
        "result-alias",
        r"with `([^`]+)`, a parameter",
        'Unique-typed return value is aliased to "\\1", which is not consumable.',
    ),
    rule(
        "result-alias",
        r"a component of the result",
        "A unique-typed component of the return value is aliased to some other component.",
    ),
    rule("global-alias", r"", "Function result aliases the free variable."),
    rule(
        "loop-alias",
        r"consumes `([^`]+)`",
        'Return value for consuming loop parameter "\\1" aliases',
    ),
    rule(
        "loop-alias",
        r"next value of `([^`]+)`",
        'Return value for consuming loop parameter "\\1" aliases other consumed loop parameter.',
    ),
    rule(
        "loop-use",
        r"`([^`]+)`",
        'Loop body uses "\\1" (or an alias), but this is consumed by the initial loop argument.',
    ),
    rule(
        "functional-consumption",
        r"",
        "Functional argument contains consumption, which is not allowed.",
    ),
    rule(
        "consuming-function",
        r"",
        "Parameters are incompatible regarding consuming their arguments.",
    ),
    rule("sharing-function", r"", "Return types have incompatible uniqueness."),
)


def futhark_wording(d: Diagnostic) -> str:
    """Return Futhark's wording of an error, one line per rule that applies; empty if none does."""
    found = (
        (m, r.words)
        for r in RULES
        if r.code == d.code and (m := re.search(r.pattern, d.message)) is not None
    )
    return "\n".join(dict.fromkeys(m.expand(words) for m, words in found))
