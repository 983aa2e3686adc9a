"""The error codes of the checks of names, types and sizes, each with an explanation and an example.

The example is a whole program that is rejected with exactly this code.  A test compiles each one.
"""

from funmem.ir.record import frozen


@frozen
class ErrorCode:
    """An error code: title, explanation, and an ``example`` program that is rejected with it."""

    code: str
    title: str
    explanation: str
    example: str
    files: tuple[tuple[str, str], ...] = ()
    """Other files of the example, as pairs of path and text."""


_TABLE = (
    # ------------------------------------------------------------------ files and names
    ErrorCode(
        "import",
        "A file cannot be read",
        'The path in `import "a/b"` is relative to the importing file, and `.fut` is appended '
        "to it.",
        'import "nowhere"\n',
    ),
    ErrorCode(
        "import-cycle",
        "Files import each other",
        "A file can be used only after all its imports have been read. Move the definitions "
        "that both files need into a third file.",
        'import "a"\n',
        (("a.fut", 'import "example"\n'),),
    ),
    ErrorCode(
        "unknown-name",
        "A name is not in scope",
        "A definition can use the definitions above it, the names that its file imports, and "
        "the prelude.",
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
        "Modules are the scalar types and the modules that `module m = …` defines.",
        "open complex\n",
    ),
    ErrorCode(
        "module-mismatch",
        "A module does not match the module type or kind that is required",
        "A module with a module type must define everything that the type lists. A parametric "
        "module must be applied before its members are used; other modules cannot be applied. "
        "Entry points must not be defined inside a module.",
        "module type shape = { val area : f64 }\nmodule square : shape = { def side = 1.0 }\n"
        "def main = square.area\n",
    ),
    ErrorCode(
        "unknown-field",
        "A record has no such field",
        "The type of the record determines its fields. The fields of a tuple are 0, 1, …",
        "def main (p: {x: f32, y: f32}) = p.z\n",
    ),
    ErrorCode(
        "duplicate-name",
        "A name is bound twice",
        "A pattern, a parameter list, a record and a file may bind each name only once.",
        "def main (x: i32) (x: i32) = x\n",
    ),
    # ------------------------------------------------------------------ types
    ErrorCode(
        "type-mismatch",
        "An expression has a different type than is required",
        "The message shows both types and where each comes from. Values are never converted "
        "implicitly: `f32.i32 x` converts an i32 to an f32.",
        "def main (x: i32) = x + true\n",
    ),
    ErrorCode(
        "ambiguous-type",
        "A type is not determined",
        "Many types may have the same field or constructor, so a type annotation must say which "
        "type is meant. A number whose type nothing determines is an i32, or an f64 if it has a "
        "decimal point.",
        "def norm p = p.x * p.x\n",
    ),
    ErrorCode(
        "not-a-function",
        "A value that is not a function is applied",
        "`f x` applies f to x. To index an array, write the bracket directly after it: `xs[i]`.",
        "def main (x: i32) = x 1\n",
    ),
    ErrorCode(
        "too-many-arguments",
        "A function is applied to more arguments than it has parameters",
        "An argument that is itself an application needs parentheses: `f (g x)`.",
        "def f (x: i32) = x + 1\ndef main (x: i32) = f x x\n",
    ),
    ErrorCode(
        "not-an-array",
        "An index has more dimensions than the array",
        "`xs[i, j]` needs an array of arrays.",
        "def main (xs: []i32) = xs[0, 1]\n",
    ),
    ErrorCode(
        "functional-result",
        "A function would be chosen at run time or stored in an array",
        "The compiler must know which function each call calls. So the results of `if` and "
        "`match`, the parameters of loops and the elements of arrays must not be functions.",
        "def main (b: bool) = (if b then (\\x -> x + 1) else (\\x -> x * 2)) 3\n",
    ),
    ErrorCode(
        "literal-range",
        "A literal is out of the range of its type",
        "A literal without a suffix has the type that its context requires. A literal with a "
        "suffix wraps around instead of being rejected.",
        "def main : u8 = 256\n",
    ),
    ErrorCode(
        "hole",
        "The program has a hole",
        "`???` stands for an expression that is still to be written. The message gives the type "
        "of this expression.",
        "def main (x: i32) = x + ???\n",
    ),
    ErrorCode(
        "recursion",
        "A constant is defined in terms of itself",
        "A definition with parameters may call itself. A definition without parameters would "
        "need its own value.",
        "def powers = [1] ++ map (2 *) powers\n",
    ),
    ErrorCode(
        "type-arguments",
        "An abbreviation is applied to wrong arguments",
        "`type t 'a [n] = …` takes a type and a size, in this order: `t i32 [3]`.",
        "type pair 'a = (a, a)\ndef main (p: pair) = 0\n",
    ),
    ErrorCode(
        "type-kind",
        "An abbreviation contains a function type or a size that is not given",
        "Declare the abbreviation with `type^` if it contains a function type, and with `type~` "
        "if it contains a size that is not given.",
        "type row = []f32\ndef main (r: row) = r\n",
    ),
    ErrorCode(
        "update-global",
        "A top-level constant is updated in place",
        "`let x[i] = v` reuses the memory of x, so x must be a local variable of the definition.",
        "def table : [3]i32 = [1, 2, 3]\ndef main = let table[0] = 5 in table\n",
    ),
    # ------------------------------------------------------------------ patterns
    ErrorCode(
        "match-cases",
        "The cases of a `match` do not cover all values",
        "Each value of the type must match a case. The message shows a value that matches no case.",
        "type t = #a | #b\ndef main (x: bool) = let y: t = if x then #a else #b "
        "in match y case #a -> 1i32\n",
    ),
    ErrorCode(
        "refutable-pattern",
        "A pattern outside of `match` does not match all values",
        "The patterns of parameters, `let` and loops have no second case, so they must match "
        "every value.",
        "type t = #a i32 | #b\ndef f (x: t) = let (#a y) = x in y\n",
    ),
    ErrorCode(
        "loop-initial",
        "A loop without an initial value has a pattern that contains more than variables",
        "`loop (x, y) for …` uses the values of the variables x and y as the initial values.",
        "def main (x: i32) = loop (x, _) for i < 3 do (x + i, x)\n",
    ),
    # ------------------------------------------------------------------ entry points
    ErrorCode(
        "entry-polymorphic",
        "An entry point has type parameters",
        "The parameters of an entry point must have known types. Their sizes may be unknown.",
        "entry main 'a (x: a) = x\n",
    ),
    ErrorCode(
        "entry-higher-order",
        "An entry point has a function as a parameter or result",
        "The parameters and results of an entry point must not be functions.",
        "entry main (f: i32 -> i32) = f 1\n",
    ),
    ErrorCode(
        "not-redefinable",
        "`&&` or `||` is redefined",
        "These operators evaluate their right operand only if the left operand does not decide "
        "the result. A user-defined function evaluates all its arguments.",
        "def (&&) (a: i32) (b: i32) = a + b\ndef main (x: i32) = x && x\n",
    ),
    # ------------------------------------------------------------------ sizes
    ErrorCode(
        "size-mismatch",
        "Two sizes that must be equal are not known to be equal",
        "Sizes are polynomials over i64 variables, and equal polynomials are equal sizes. The "
        "result of `filter`, of a loop or of a branch has a size of its own, which is not known "
        "to be equal to any other size. `e :> [n]t` states that a size is n; this is checked at "
        "run time.",
        "def f [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys\n"
        "def main (xs: [2]i32) (ys: [3]i32) = f xs ys\n",
    ),
    ErrorCode(
        "size-escape",
        "The rows of an array would differ in length",
        "All rows of an array must have the same length, and it must be known before the first "
        "row is computed.",
        "def main (n: i64) = map (\\i -> iota i) (iota n)\n",
    ),
    ErrorCode(
        "causality",
        "A size is needed before it is computed",
        "Arguments are evaluated from right to left and operands from left to right. The sizes "
        "in the type of a function must be known when the function is used. The size of the "
        "result of `filter`, of a loop or of a branch is known only after it has been "
        "evaluated: bind the result with `let` first.",
        "def main (xs: []i32) = map (+ 1) <| filter (> 0) xs\n",
    ),
    ErrorCode(
        "ambiguous-size",
        "A size is not determined",
        "If a definition uses a size as a number, its arguments or its result must determine "
        "the size.",
        "def main (x: i32) = length (rep x)\n",
    ),
    ErrorCode(
        "entry-sizes",
        "A size of an entry point is not determined by its arguments",
        "The caller of an entry point passes arguments and no sizes. So each size parameter "
        "must be the length of an array argument.",
        "def main [n] (xs: [n + 1]i32) = n\n",
    ),
    ErrorCode(
        "unused-size",
        "A size parameter occurs in no type",
        "A call could not determine the value of this parameter.",
        "def f [n] (x: i32) = x\n",
    ),
    # ------------------------------------------------------------------ comprehensions
    ErrorCode(
        "key-type",
        "A key cannot be ordered",
        "The key of `order by` and `group by` must be a scalar or a tuple of scalars.",
        "def main (xss: [][]i32) = [xs[0] | xs <- xss, order by xs]\n",
    ),
    ErrorCode(
        "grouped-variable",
        "A variable is used after `group by` without a fold",
        "After `group by`, a variable bound before it stands for all values of a group. Fold "
        "them into one value.",
        "def main (xs: []i32) = [x | x <- xs, group by x % 2]\n",
    ),
    # ------------------------------------------------------------------ limits
    ErrorCode(
        "not-supported",
        "The language has this construct, but this compiler does not support it",
        "The message names the construct.",
        "def main (x: f64) = vjp (\\y -> y * y) x 1\n",
    ),
)

CODES: dict[str, ErrorCode] = {c.code: c for c in _TABLE}
