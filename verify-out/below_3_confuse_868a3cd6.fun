-- A failing program; `funmem reduce --replay FILE` says whether it still fails.
-- pipeline: simplify,fuse,confuse
-- engine: value
-- code: values
-- message: result 1[0]: expected 0, got 4 (1 of 3 elements differ)
-- seed: 0
-- passes: confuse of a session without a file
-- versions: funmem 0.1.0, Python 3.11.7, numpy 2.4.6, Linux x86_64
-- by hand: funmem run verify-out/below_3_confuse_868a3cd6.fun -p simplify,fuse,confuse --entry main --via value --against value -i 2i64 -i '[3i64, 0i64, 2i64]'
-- ==
-- entry: main
-- input { 2i64 [3i64, 0i64, 2i64] }
entry main [n] (k : i64) (xs : [n]i64) -> (r : [n]i64) (total : i64) =
  let (small : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (c : bool) = x < k
      let (y : i64) =
        if c then
          let (z : i64) = x * 2
          in (z)
        else
          in (0)
      in (y)
  let (count : i64) =
    loop (acc : i64) = 0 for j < n do
      let (s : i64) = small[j]
      let (acc1 : i64) = acc + s
      in (acc1)
  let (back : [n]i64) = reverse 0 small
  let (r1 : [n]i64) = copy back
  in (r1, count)
