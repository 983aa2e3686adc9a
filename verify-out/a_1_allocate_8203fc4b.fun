-- A failing program; `funmem reduce --replay FILE` says whether it still fails.
-- pipeline: allocate
-- engine: crash
-- code: Stuck in stm
-- message: funmem.ir.diagnostics.Stuck: a kernel over rows is left: `schedule` replaces it, and comes before `allocate`
-- seed: 0
-- versions: funmem 0.1.0, Python 3.11.7, numpy 2.4.6, Linux x86_64
-- by hand: funmem opt verify-out/a_1_allocate_8203fc4b.fun -p allocate
-- ==
-- entry: main
-- input { [0i64, 1i64, 2i64] [3i32, 0i32, 2i32] }
entry main [n] [m] (offs : [n]i64) (xs : [m]i32) -> (r : [n - 1]i32) (r2 : [m]i32) (r3 : [m]i64) =
  let (s : [n - 1]i32) (w : [m]i32) =
    kernel i < n - 1, k in offs : m reduce
      (\(a : i32) (b : i32) ->
        let (x : i32) = a + b
        in (x)) (0i32)
    do
      let (v : i32) = xs[k]
      let (w1 : i32) = v * 2i32
      in (v, w1)
  let (c : [m]i32) =
    kernel i2 < n - 1, k2 in offs : m scan
      (\(a2 : i32) (b2 : i32) ->
        let (x2 : i32) = a2 + b2
        in (x2)) (0i32)
    do
      let (v2 : i32) = w[k2]
      in (v2)
  let (q : [m]i64) =
    kernel i3 < n - 1, k3 in offs : m do
      let (z : i64) = 100 * i3 + k3
      in (z)
  in (s, c, q)
