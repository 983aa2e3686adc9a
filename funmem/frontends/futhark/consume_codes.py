"""Every error of the uniqueness checker: what it means, and a program; see error_codes.py."""

from funmem.frontends.futhark.error_codes import ErrorCode

CONSUMPTION = (
    ErrorCode(
        "use-after-consume",
        "What was consumed is used again",
        "`xs with [i] = v`, `let xs[i] = v`, and an argument of a parameter declared `*t`, consume "
        "an array: the new one may take its place in memory. Then it is gone, and with it all that "
        "may share elements with it: slices, a transposed view, results of functions that got it "
        "and do not promise a new array (`*t`).",
        "def main (xs: *[3]i32) =\n  let ys = xs with [0] = 1\n  in (ys, xs)\n",
    ),
    ErrorCode(
        "not-consumable",
        "What does not belong to the function is consumed",
        "A function may consume what it makes, and parameters declared `*t`, which it is given for "
        "good. It may not consume other parameters, top-level definitions, and what is bound "
        "outside of it; nor may the body of a loop consume what is bound outside of the loop.",
        "def main (xs: [3]i32) = xs with [0] = 1\n",
    ),
    ErrorCode(
        "argument-alias",
        "A consumed argument shares elements with another argument",
        "The function would see its other argument change.",
        "def f (xs: *[3]i32) (ys: [3]i32) = xs with [0] = ys[1]\n"
        "def main (xs: *[3]i32) = f xs xs\n",
    ),
    ErrorCode(
        "self-alias",
        "The components of what is consumed share elements",
        "Components of a consumed tuple may be updated one by one. The same is demanded of the "
        "initial value of a loop that consumes its parameters.",
        "def main (xs: *[3]i32) = loop (ys, zs) = (xs, xs) for i < 3 do (ys with [i] = 1, zs)\n",
    ),
    ErrorCode(
        "update-alias",
        "An array is updated with a part of itself",
        "The elements are written while they are read.",
        "def main (xs: *[6]i32) = xs with [0:3] = xs[1:4]\n",
    ),
    ErrorCode(
        "result-alias",
        "A result that is declared new is not",
        "A result declared `*t` shares no elements with parameters that the caller keeps, nor with "
        "the other components of the result.",
        "def f (xs: [3]i32) : *[3]i32 = xs\n",
    ),
    ErrorCode(
        "global-alias",
        "A function gives a top-level array away",
        "Whoever called the function could consume the result.",
        "def table : [3]i32 = [1, 2, 3]\ndef f (i: i32) = table\n",
    ),
    ErrorCode(
        "loop-alias",
        "The next value of a consumed loop parameter is not the loop's own",
        "A loop that consumes a parameter does so again in the next iteration. So its next value "
        "shares no elements with what is bound outside of the loop, nor with the next value of "
        "another parameter.",
        "def main (xs: *[3]i32) (ys: [3]i32) =\n"
        "  loop zs = xs for i < 3 do (if i == 1 then ys else zs with [i] = 1)\n",
    ),
    ErrorCode(
        "loop-use",
        "A loop uses what it consumes as its initial value",
        "Inside of the loop the parameter stands for it.",
        "def main (xs: *[3]i32) = loop ys = xs for i < 3 do ys with [i] = xs[0]\n",
    ),
    ErrorCode(
        "functional-consumption",
        "Making a function consumes something",
        "A function may be called many times; what it captured must still be there. This is about "
        "functions that are bound or passed, most often partial applications.",
        "def f (xs: *[3]i32) (i: i64) = xs with [i] = 1\n"
        "def main (xs: *[3]i32) = map (f xs) (iota 3)\n",
    ),
    ErrorCode(
        "consuming-function",
        "A function that consumes its argument is given to one that does not expect it",
        "`map`, `|>` and the like keep what they pass. Only a parameter of a type such as "
        "`*[n]i32 -> i32` takes a function that consumes.",
        "def f (xs: *[3]i32) = xs with [0] = 1\ndef main (xss: *[2][3]i32) = map f xss\n",
    ),
    ErrorCode(
        "sharing-function",
        "A function whose result may share is given where a new result is needed",
        "A parameter of a type such as `[n]i32 -> *[n]i32` takes functions whose result is "
        "declared with `*`.",
        "def twice (f: [3]i32 -> *[3]i32) (xs: [3]i32) = f (f xs)\n"
        "def main (xs: [3]i32) = twice (\\ys -> ys) xs\n",
    ),
)
