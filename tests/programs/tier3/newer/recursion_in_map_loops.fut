-- Loops around recursion, in a map: one of a known number of steps, and one that asks. Futhark 0.25 rejects recursion.
-- ==
-- input { [1i64, 5i64, 27i64, 97i64] } output { [11i64, 33i64, 166i64, 194i64] [0i64, 0i64, 0i64, 0i64] }
def collatz (n: i64) : i64 =
  if n == 1 then 0 else 1 + collatz (if n % 2 == 0 then n / 2 else 3 * n + 1)

entry main [k] (ns: [k]i64) : ([k]i64, [k]i64) =
  unzip (map (\n ->
    let a = loop a = 1 for i < 4 do a + collatz (n + i)
    let (_, left) = loop (m, left) = (n, n) while left > 0 do
      let d = collatz m
      in (m + 1, left - 1 - d)
    in (a, i64.max left 0)) ns)
