-- A size that only payloads have cannot get a name that changes from turn to turn.
-- ==
-- error: a size `n` that nothing determines

def main (k: i64) : i64 =
  let start : #many ([k]i32) | #none = #many (replicate k 1)
  in (loop [n] (x: #many ([n]i32) | #none, s: i64) = (start, 0) for _i < 3 do (x, s + n)).1
