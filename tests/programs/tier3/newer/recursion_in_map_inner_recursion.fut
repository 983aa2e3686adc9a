-- A recursive function that calls another one, whose stack is the deeper of the two. Futhark 0.25 rejects recursion.
-- ==
-- input { [0i64, 5i64, 40i64, 70i64, 150i64] } output { [0i64, 6i64, 41i64, 71i64, 150i64] }
def depth (n: i64) : i64 = if n <= 0 then 0 else 1 + depth (n - 1)
def steps (n: i64) : i64 =
  if n <= 0 then 0 else let d = depth n in 1 + d % 3 + steps (n - 2)

entry main [k] (ns: [k]i64) : [k]i64 = map steps ns
