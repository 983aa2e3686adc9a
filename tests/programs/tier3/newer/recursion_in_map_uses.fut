-- What follows a call would trap on a value that is not the call's: an index, a division. Futhark 0.25 rejects recursion.
-- ==
-- input { [1i64, 3i64, 50i64, 97i64] } output { [57i64, 46i64, 351i64, 680i64] }
def depth (n: i64) : i64 = if n <= 0 then 1 else 1 + depth (n - 1)

entry main [k] (ns: [k]i64) : [k]i64 =
  let table = iota 100
  in map (\n -> let d = depth n in 100 / d + 7 * table[d - 1]) ns
