-- A failing program; `funmem reduce --replay FILE` says whether it still fails.
-- pipeline: one-for-zero
-- engine: value
-- code: values
-- message: result 1[0]: expected 0, got 1
-- seed: 0
-- by hand: funmem run small.fun -p one-for-zero --entry main --via value --against value -i '[0i32]'
-- ==
-- entry: main
-- input { [0i32] }
entry main [n] (xs : [n]i32) -> (r : [n]i32) =
  let (ws : [n]i32) = replicate [n] 0i32
  in (ws)
