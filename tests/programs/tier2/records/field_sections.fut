-- `(.f)` is the projection as a function: mapped, composed, nested `(.f.g)`, and on tuples `(.0)`.
-- ==
-- input { [1, 2, 3] [10, 20, 30] } output { [1, 2, 3] [10, 20, 30] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) empty([0]i32) }

def main [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  let ps = map2 (\x y -> {x, y}) xs ys
  in (map (.x) ps, map (.y) ps)

-- ==
-- entry: nested
-- input { [4, 5] } output { [8, 10] }

entry nested [n] (xs: [n]i32) : [n]i32 =
  xs |> map (\x -> {outer = {inner = 2 * x, other = true}}) |> map (.outer.inner)

-- ==
-- entry: composed
-- input { 5 } output { 6 }

entry composed (a: i32) : i32 =
  ((.value) >-> (+ 1)) {value = a, unused = 0.5f32}

-- ==
-- entry: of_tuples
-- input { [1, 2] [true, false] } output { 3 [true, false] }

entry of_tuples [n] (xs: [n]i32) (bs: [n]bool) : (i32, [n]bool) =
  let ts = zip xs bs
  in (i32.sum (map (.0) ts), map (.1) ts)

-- ==
-- entry: largest
-- input { [3, 9, 2, 9] } output { 9 1i64 }
-- input { [-7] } output { -7 0i64 }

entry largest [n] (xs: [n]i32) : (i32, i64) =
  let better = \a b -> if b.value > a.value || (b.value == a.value && b.at < a.at) then b else a
  let best = reduce better {value = i32.lowest, at = i64.highest}
                    (map2 (\value at -> {value, at}) xs (iota n))
  in (best.value, best.at)
