-- A literal takes its type from its context; without one it is i32 or f64.
-- ==
-- entry: from_context
-- input { 3f32 4u8 5i64 } output { 5f32 14u8 [0i64, 5i64] }

-- ==
-- entry: defaults
-- input { } output { 5 2.5 [1, 2] }

-- ==
-- entry: through_function
-- input { 10f64 } output { 21f64 }

-- ==
-- entry: in_branches
-- input { true } output { 1f32 7u16 }
-- input { false } output { 0.5f32 65535u16 }

entry from_context (a: f32) (b: u8) (c: i64) = (a + 2, b + 10, [0, c])
entry defaults = let x = 2 in let y = 3 in (x + y, 2.5, [1, 2])
def twice_plus (x: f64) = 2 * x + 1
entry through_function (x: f64) = twice_plus x
entry in_branches (b: bool) : (f32, u16) = if b then (1, 7) else (0.5, 65535)
