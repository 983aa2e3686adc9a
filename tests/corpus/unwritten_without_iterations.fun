-- Without iterations a loop's result is what it began with: elements that were never written.
entry main (k : i64) (t : i64) -> (r : i64) =
  let (s : [5]i64) = scratch [5]i64
  let (a1 : [5]i64) = loop (a : [5]i64) = s for i < k do
    let (b : [5]i64) = iota [5] 3 1
    in (b)
  let (x : i64) = loop (acc : i64) = 0 for j < t do
    let (v : i64) = a1[2]
    let (acc1 : i64) = acc + v
    in (acc1)
  in (x)
