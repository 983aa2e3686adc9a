-- How operators bind and associate, from `**` down to `|>` and `<|`, and prefix `-` and `!`.
-- ==
-- entry: arithmetic
-- input { 2 3 4 } output { 14 -5 2 48 24 4 }

-- ==
-- entry: bits
-- input { 6 3 1 } output { 14 1 true 2 }

-- ==
-- entry: logic
-- input { true false false } output { true true false }

-- ==
-- entry: pipes
-- input { 3 } output { true false 16 }

-- ==
-- entry: prefix
-- input { 2 } output { 4 -2 -3 3 }

entry arithmetic (a: i32) (b: i32) (c: i32) =
  (a + b * c, a - b - c, a * b % c, a ** c * b, a ** b ** 1 * b, c / b * c)
-- `&`, `|` and `^` share one level, so the second is ((a | b) & c) ^ 0.
entry bits (a: i32) (b: i32) (c: i32) = (a + c << c, a | b & c ^ 0, a & b == 2, a >> c & b - c)
entry logic (a: bool) (b: bool) (c: bool) = (a || b && c, !b || c, a && b || c && a)
entry pipes (x: i32) = (x == 3 || x > 5 |> id, (\p -> !p) <| x < 5, x + 1 |> (** 2))
-- Prefix minus binds tighter than `**`, and complement tighter than `+`.
entry prefix (x: i32) = (-x ** 2, -x, !x, - !x)
