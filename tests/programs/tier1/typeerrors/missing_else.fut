-- An `if` without `else` is a syntax error.
-- ==
-- error: [Uu]nexpected|[Ee]xpected|else

def main (x: i32) : i32 = if x > 0 then x
