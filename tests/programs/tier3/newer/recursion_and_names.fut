-- A recursive definition is inlined: what it binds is nobody else's, though all is called `n`.
-- Recursion: Futhark 0.25 has none.
-- ==
-- entry: before_and_after
-- input { 0i64 } output { 22i64 }
-- input { 1i64 } output { 23i64 }
-- input { -20i64 } output { 2i64 }

def count (n: i64) : i64 = if n <= 0 then 0 else 1 + count (n - 1)

-- n + 10 + (3 + 4) + 5
entry before_and_after (n: i64) : i64 =
  let n = n + 10
  let r = count 3 + count 4
  let n = n + r
  let s = count 5
  in n + s

-- ==
-- entry: inside
-- input { 0i64 } output { 0i64 }
-- input { 1i64 } output { 12i64 }
-- input { 3i64 } output { 42i64 }

def twice (n: i64) : i64 = let n = n + 5 in let n = n * 2 in n

def sum (n: i64) : i64 = if n <= 0 then 0 else twice n + sum (n - 1)

entry inside (n: i64) : i64 = sum n
