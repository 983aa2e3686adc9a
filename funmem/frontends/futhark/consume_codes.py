"""The error codes of the uniqueness checker; see error_codes.py."""

from funmem.frontends.futhark.error_codes import ErrorCode

CONSUMPTION = (
    ErrorCode(
        "use-after-consume",
        "A consumed array is used",
        "`xs with [i] = v`, `let xs[i] = v`, and a call whose parameter is declared `*t` "
        "consume an array, because the new array may reuse its memory. After that, neither the "
        "array nor any array that may share elements with it can be used: slices, a transposed "
        "view, and the results of functions that took the array as an argument and whose result "
        "type is not declared as new (`*t`).",
        "def main (xs: *[3]i32) =\n  let ys = xs with [0] = 1\n  in (ys, xs)\n",
    ),
    ErrorCode(
        "not-consumable",
        "An array that must not be consumed is consumed",
        "A function may consume arrays that it creates, and parameters that are declared `*t`. "
        "It must not consume other parameters, top-level definitions, or variables bound "
        "outside of the function. The body of a loop must not consume variables bound outside "
        "of the loop.",
        "def main (xs: [3]i32) = xs with [0] = 1\n",
    ),
    ErrorCode(
        "argument-alias",
        "A consumed argument shares elements with another argument",
        "The call could change the other argument.",
        "def f (xs: *[3]i32) (ys: [3]i32) = xs with [0] = ys[1]\n"
        "def main (xs: *[3]i32) = f xs xs\n",
    ),
    ErrorCode(
        "self-alias",
        "The components of a consumed value share elements with each other",
        "Each component of a consumed tuple may be updated separately, so the components must "
        "not share elements. This also applies to the initial value of a loop that consumes its "
        "parameters.",
        "def main (xs: *[3]i32) = loop (ys, zs) = (xs, xs) for i < 3 do (ys with [i] = 1, zs)\n",
    ),
    ErrorCode(
        "update-alias",
        "An array is updated with a part of itself",
        "The update would write elements while it reads them.",
        "def main (xs: *[6]i32) = xs with [0:3] = xs[1:4]\n",
    ),
    ErrorCode(
        "result-alias",
        "A result that is declared new shares elements",
        "A result declared `*t` must not share elements with a parameter without `*`, or with "
        "another component of the result.",
        "def f (xs: [3]i32) : *[3]i32 = xs\n",
    ),
    ErrorCode(
        "global-alias",
        "A function returns a top-level array",
        "A caller of the function could consume the result, and with it the top-level array.",
        "def table : [3]i32 = [1, 2, 3]\ndef f (i: i32) = table\n",
    ),
    ErrorCode(
        "loop-alias",
        "The next value of a consumed loop parameter shares elements with another array",
        "A loop that consumes a parameter consumes it in each iteration. So the next value must "
        "not share elements with an array bound outside of the loop, or with the next value of "
        "another parameter.",
        "def main (xs: *[3]i32) (ys: [3]i32) =\n"
        "  loop zs = xs for i < 3 do (if i == 1 then ys else zs with [i] = 1)\n",
    ),
    ErrorCode(
        "loop-use",
        "A loop uses an array that it consumes as its initial value",
        "Inside the loop, use the loop parameter instead.",
        "def main (xs: *[3]i32) = loop ys = xs for i < 3 do ys with [i] = xs[0]\n",
    ),
    ErrorCode(
        "functional-consumption",
        "A function captures an array that it consumes",
        "A function may be called many times, but the captured array can be consumed only once. "
        "Most often the function is a partial application that is bound to a name or passed as "
        "an argument.",
        "def f (xs: *[3]i32) (i: i64) = xs with [i] = 1\n"
        "def main (xs: *[3]i32) = map (f xs) (iota 3)\n",
    ),
    ErrorCode(
        "consuming-function",
        "A function that consumes its argument is passed where such a function is not allowed",
        "`map`, `|>` and similar functions do not give up the values that they pass on. A "
        "function that consumes its argument can be passed only to a parameter of a type such "
        "as `*[n]i32 -> i32`.",
        "def f (xs: *[3]i32) = xs with [0] = 1\ndef main (xss: *[2][3]i32) = map f xss\n",
    ),
    ErrorCode(
        "sharing-function",
        "A function whose result may share elements is passed where a new result is required",
        "A parameter of a type such as `[n]i32 -> *[n]i32` accepts only functions whose result "
        "is declared with `*`.",
        "def twice (f: [3]i32 -> *[3]i32) (xs: [3]i32) = f (f xs)\n"
        "def main (xs: [3]i32) = twice (\\ys -> ys) xs\n",
    ),
)
