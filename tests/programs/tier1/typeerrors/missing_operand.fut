-- An operator without its right operand.
-- ==
-- error: [Uu]nexpected|[Ee]xpected

def main (x: i32) : i32 = let y = x + in y
