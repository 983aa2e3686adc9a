"""The types of the intrinsics: operations of Core on which the prelude is built.

Type and size names are implicitly quantified: a lower-case name other than a scalar type is a type
outside brackets, and a size inside.  ``elaborate/intrinsics.py`` has the Core of each.
"""

INTRINSICS: dict[str, str] = {
    "map": "(a -> x) -> [n]a -> *[n]x",
    "map2": "(a -> b -> x) -> [n]a -> [n]b -> *[n]x",
    "map3": "(a -> b -> c -> x) -> [n]a -> [n]b -> [n]c -> *[n]x",
    "map4": "(a -> b -> c -> d -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> *[n]x",
    "map5": "(a -> b -> c -> d -> e -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n]x",
    "reduce": "(a -> a -> a) -> a -> [n]a -> a",
    "reduce_comm": "(a -> a -> a) -> a -> [n]a -> a",
    "scan": "(a -> a -> a) -> a -> [n]a -> *[n]a",
    "scatter": "*[k]a -> [n]i64 -> [n]a -> *[k]a",
    "scatter_2d": "*[k][l]a -> [n](i64, i64) -> [n]a -> *[k][l]a",
    "scatter_3d": "*[k][l][m]a -> [n](i64, i64, i64) -> [n]a -> *[k][l][m]a",
    "hist": "*[k]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[k]a",
    "hist_2d": "*[k][l]a -> (a -> a -> a) -> a -> [n](i64, i64) -> [n]a -> *[k][l]a",
    "hist_3d": "*[k][l][m]a -> (a -> a -> a) -> a -> [n](i64, i64, i64) -> [n]a -> *[k][l][m]a",
    "filter": "(a -> bool) -> [n]a -> ?[k].*[k]a",
    "iota": "(n: i64) -> *[n]i64",
    "replicate": "(n: i64) -> a -> *[n]a",
    "length": "[n]a -> i64",
    "concat": "[n]a -> [m]a -> *[n + m]a",
    "transpose": "[n][m]a -> [m][n]a",
    "reverse": "[n]a -> [n]a",
    "flatten": "[n][m]a -> [n * m]a",
    "unflatten": "[n * m]a -> [n][m]a",
    "copy": "a -> *a",
    "zip2": "[n]a -> [n]b -> *[n](a, b)",
    "zip3": "[n]a -> [n]b -> [n]c -> *[n](a, b, c)",
    "zip4": "[n]a -> [n]b -> [n]c -> [n]d -> *[n](a, b, c, d)",
    "zip5": "[n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n](a, b, c, d, e)",
    "unzip2": "[n](a, b) -> ([n]a, [n]b)",
    "unzip3": "[n](a, b, c) -> ([n]a, [n]b, [n]c)",
    "unzip4": "[n](a, b, c, d) -> ([n]a, [n]b, [n]c, [n]d)",
    "unzip5": "[n](a, b, c, d, e) -> ([n]a, [n]b, [n]c, [n]d, [n]e)",
    "flat_index_1d": "[k]a -> i64 -> (n: i64) -> i64 -> [n]a",
    "flat_index_2d": "[k]a -> i64 -> (n: i64) -> i64 -> (m: i64) -> i64 -> [n][m]a",
    "flat_index_3d": (
        "[k]a -> i64 -> (n: i64) -> i64 -> (m: i64) -> i64 -> (l: i64) -> i64 -> [n][m][l]a"
    ),
    "flat_index_4d": (
        "[k]a -> i64 -> (n: i64) -> i64 -> (m: i64) -> i64 -> (l: i64) -> i64 -> (p: i64) -> i64"
        " -> [n][m][l][p]a"
    ),
    "flat_update_1d": "*[k]a -> i64 -> i64 -> [n]a -> *[k]a",
    "flat_update_2d": "*[k]a -> i64 -> i64 -> i64 -> [n][m]a -> *[k]a",
    "flat_update_3d": "*[k]a -> i64 -> i64 -> i64 -> i64 -> [n][m][l]a -> *[k]a",
    "flat_update_4d": "*[k]a -> i64 -> i64 -> i64 -> i64 -> i64 -> [n][m][l][p]a -> *[k]a",
}
