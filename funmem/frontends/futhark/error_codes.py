"""Every error that the checks of types and sizes can report: what it means, and a program.

The example of a code is a whole program that is rejected with exactly this code; a test runs them.
"""

from funmem.ir.record import frozen


@frozen
class ErrorCode:
    """What a code means.  ``example``: a program that is rejected with it."""

    code: str
    title: str
    explanation: str
    example: str
    files: tuple[tuple[str, str], ...] = ()
    """Other files of the example: path, text."""


_TABLE = (
    # ------------------------------------------------------------------ files and names
    ErrorCode(
        "import",
        "A file cannot be read",
        'The path in `import "a/b"` is relative to the importing file, and `.fut` is appended.',
        'import "nowhere"\n',
    ),
    ErrorCode(
        "import-cycle",
        "Files import each other",
        "A file may use only what is complete. Move what both need into a third file.",
        'import "a"\n',
        (("a.fut", 'import "example"\n'),),
    ),
    ErrorCode(
        "unknown-name",
        "A name is not in scope",
        "A definition sees what stands above it, what its file imports, and the prelude.",
        "def main (x: i32) = y + 1\n",
    ),
    ErrorCode(
        "unknown-type",
        "A type is not in scope",
        "Types are the scalar types, abbreviations (`type t = …`) and type parameters (`'a`).",
        "def main (x: int) = x\n",
    ),
    ErrorCode(
        "unknown-module",
        "A module is not in scope",
        "Modules are the scalar types and what `module m = …` names.",
        "open complex\n",
    ),
    ErrorCode(
        "module-mismatch",
        "A module is not what its place demands",
        "A module with a module type has all that the type names. Parametric modules are applied "
        "before their members are used, others are not applied. Entry points stand in no module.",
        "module type shape = { val area : f64 }\nmodule square : shape = { def side = 1.0 }\n"
        "def main = square.area\n",
    ),
    ErrorCode(
        "unknown-field",
        "A record has no such field",
        "A field is looked up in the type of the record; tuples have the fields 0, 1, …",
        "def main (p: {x: f32, y: f32}) = p.z\n",
    ),
    ErrorCode(
        "duplicate-name",
        "A name is bound twice",
        "One pattern, one parameter list, one record and one file bind each name once.",
        "def main (x: i32) (x: i32) = x\n",
    ),
    # ------------------------------------------------------------------ types
    ErrorCode(
        "type-mismatch",
        "A type is not the one that is needed here",
        "The message shows both types and where each comes from. Nothing is converted silently: "
        "`f32.i32 x` converts an i32.",
        "def main (x: i32) = x + true\n",
    ),
    ErrorCode(
        "ambiguous-type",
        "A type is not determined",
        "A field or a constructor may belong to many types, so something must say which one is "
        "meant. A number that nothing decides is an i32, or an f64 if it has a point.",
        "def norm p = p.x * p.x\n",
    ),
    ErrorCode(
        "not-a-function",
        "Something is applied that is no function",
        "`f x` applies f to x. Indexing needs the bracket next to the array: `xs[i]`.",
        "def main (x: i32) = x 1\n",
    ),
    ErrorCode(
        "too-many-arguments",
        "A function is given more arguments than it takes",
        "An argument that is an application needs parentheses: `f (g x)`.",
        "def f (x: i32) = x + 1\ndef main (x: i32) = f x x\n",
    ),
    ErrorCode(
        "not-an-array",
        "More dimensions are indexed than there are",
        "`xs[i, j]` needs an array of arrays.",
        "def main (xs: []i32) = xs[0, 1]\n",
    ),
    ErrorCode(
        "functional-result",
        "A function would be chosen at run time, or stored",
        "The compiler knows which function is called where. So the branches of `if` and `match`, "
        "the parameters of loops and the elements of arrays are not functions.",
        "def main (b: bool) = (if b then (\\x -> x + 1) else (\\x -> x * 2)) 3\n",
    ),
    ErrorCode(
        "literal-range",
        "A literal does not fit its type",
        "A literal takes the type that its place needs. With a suffix it wraps around instead.",
        "def main : u8 = 256\n",
    ),
    ErrorCode(
        "hole",
        "A hole is left",
        "`???` stands for an expression still to be written; the message says of which type.",
        "def main (x: i32) = x + ???\n",
    ),
    ErrorCode(
        "recursion",
        "A constant is defined by itself",
        "A definition with parameters may call itself; what has none would need its own value.",
        "def powers = [1] ++ map (2 *) powers\n",
    ),
    ErrorCode(
        "type-arguments",
        "An abbreviation is applied to what it does not take",
        "`type t 'a [n] = …` takes a type and a size, in this order: `t i32 [3]`.",
        "type pair 'a = (a, a)\ndef main (p: pair) = 0\n",
    ),
    ErrorCode(
        "type-kind",
        "An abbreviation hides a function, or a size",
        "`type^` may stand for a function type, `type~` may leave a size open.",
        "type row = []f32\ndef main (r: row) = r\n",
    ),
    ErrorCode(
        "update-global",
        "A top-level constant is updated in place",
        "`let x[i] = v` reuses the place of a variable of this definition.",
        "def table : [3]i32 = [1, 2, 3]\ndef main = let table[0] = 5 in table\n",
    ),
    # ------------------------------------------------------------------ patterns
    ErrorCode(
        "match-cases",
        "Some value matches no case",
        "The cases of a `match` cover every value of the type; the message shows one that is left.",
        "type t = #a | #b\ndef main (x: bool) = let y: t = if x then #a else #b "
        "in match y case #a -> 1i32\n",
    ),
    ErrorCode(
        "refutable-pattern",
        "A pattern outside `match` does not match everything",
        "Parameters, `let` and loops have no second case.",
        "type t = #a i32 | #b\ndef f (x: t) = let (#a y) = x in y\n",
    ),
    ErrorCode(
        "loop-initial",
        "A loop without initial value has a pattern that is no variable",
        "`loop (x, y) for …` starts with the variables x and y of the surroundings.",
        "def main (x: i32) = loop (x, _) for i < 3 do (x + i, x)\n",
    ),
    # ------------------------------------------------------------------ entry points
    ErrorCode(
        "entry-polymorphic",
        "An entry point is polymorphic",
        "The types of what comes from outside are known. Sizes may be open.",
        "entry main 'a (x: a) = x\n",
    ),
    ErrorCode(
        "entry-higher-order",
        "An entry point takes or gives a function",
        "Only values can come from outside or go there.",
        "entry main (f: i32 -> i32) = f 1\n",
    ),
    ErrorCode(
        "not-redefinable",
        "`&&` and `||` are not redefined",
        "They evaluate their right operand only where the left one does not decide; a function "
        "evaluates all its arguments.",
        "def (&&) (a: i32) (b: i32) = a + b\ndef main (x: i32) = x && x\n",
    ),
    # ------------------------------------------------------------------ sizes
    ErrorCode(
        "size-mismatch",
        "Two sizes that must be equal are not known to be",
        "Sizes are polynomials over i64 variables; equal polynomials are equal sizes. The size "
        "of what `filter`, a loop or a branch makes is known only to itself. `e :> [n]t` claims a "
        "size, which is checked when the program runs.",
        "def f [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\n"
        "def main (xs: [2]i32) (ys: [3]i32) = f xs ys\n",
    ),
    ErrorCode(
        "size-escape",
        "Rows would differ in length",
        "All rows of an array have one length, which is known before the first row is made.",
        "def main (n: i64) = map (\\i -> iota i) (iota n)\n",
    ),
    ErrorCode(
        "causality",
        "A size is needed before it is computed",
        "Arguments are evaluated from right to left, operands from left to right, and the sizes in "
        "the type of a function must be known when it is looked at. Only evaluating `filter`, a "
        "loop or a branch makes the size of its result known: bind it with `let` before.",
        "def main (xs: []i32) = map (+ 1) <| filter (> 0) xs\n",
    ),
    ErrorCode(
        "ambiguous-size",
        "A size is not determined",
        "A size that a definition uses as a number must follow from its arguments or its result.",
        "def main (x: i32) = length (rep x)\n",
    ),
    ErrorCode(
        "entry-sizes",
        "A size of an entry point follows from no argument",
        "A caller outside gives arguments and no sizes. So each size parameter is the length of an "
        "array among them.",
        "def main [n] (xs: [n + 1]i32) = n\n",
    ),
    ErrorCode(
        "unused-size",
        "A size parameter occurs in no type",
        "Nobody could choose it.",
        "def f [n] (x: i32) = x\n",
    ),
    # ------------------------------------------------------------------ comprehensions
    ErrorCode(
        "key-type",
        "A key cannot be ordered",
        "`order by` and `group by` take a scalar, or a tuple of scalars.",
        "def main (xss: [][]i32) = [xs[0] | xs <- xss, order by xs]\n",
    ),
    ErrorCode(
        "grouped-variable",
        "A variable is used after `group by`",
        "After `group by` a variable stands for all values of a group; fold them into one.",
        "def main (xs: []i32) = [x | x <- xs, group by x % 2]\n",
    ),
    # ------------------------------------------------------------------ limits
    ErrorCode(
        "not-supported",
        "The language has this, this compiler has not",
        "The message names the construct.",
        "def main (x: f64) = vjp (\\y -> y * y) x 1\n",
    ),
)

CODES: dict[str, ErrorCode] = {c.code: c for c in _TABLE}
