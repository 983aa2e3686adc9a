-- Several entry points, one case for many of them, functions used by each other, and `main`.
-- ==
-- entry: plus also_plus
-- input { 1 2 } output { 3 }
-- input { -1 1 } output { 0 }

-- ==
-- entry: minus
-- input { 1 2 } output { -1 }

-- ==
-- entry: constant
-- input { } output { 42 }

-- ==
-- entry: uses_entry
-- input { 5 } output { 10 }

-- ==
-- input { 7 } output { 8 }

entry plus (a: i32) (b: i32) : i32 = a + b
entry minus (a: i32) (b: i32) : i32 = a - b
entry also_plus (a: i32) (b: i32) : i32 = minus a (-b)
entry constant : i32 = 42
entry uses_entry (x: i32) : i32 = plus x x
def main (x: i32) : i32 = x + 1
