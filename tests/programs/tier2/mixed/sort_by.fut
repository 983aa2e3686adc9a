-- A polymorphic stable sort by rank: a key function and an order make it work on numbers, pairs and records.
-- ==
-- input { [3, -1, 2, 3, 0] } output { [-1, 0, 2, 3, 3] }
-- input { [1] } output { [1] }
-- input { empty([0]i32) } output { empty([0]i32) }

def sort_by 'a 'k [n] (key: a -> k) (less: k -> k -> bool) (xs: [n]a) : [n]a =
  let before (i: i64) (j: i64) =
    let (a, b) = (key xs[i], key xs[j])
    in less a b || (!less b a && i < j)
  let rank = map (\i -> i64.sum (map (\j -> i64.bool (before j i)) (iota n))) (iota n)
  in scatter (copy xs) rank xs

def main [n] (xs: [n]i32) : [n]i32 = sort_by id (<) xs

-- ==
-- entry: stable
-- input { [2, 1, 2, 1] } output { [1, 1, 2, 2] [1i64, 3i64, 0i64, 2i64] }

entry stable [n] (xs: [n]i32) : ([n]i32, [n]i64) =
  zip xs (iota n) |> sort_by (.0) (<) |> unzip

-- ==
-- entry: descending_floats
-- input { [1.0, -2.0, 5.5] } output { [5.5, 1.0, -2.0] }

entry descending_floats [n] (xs: [n]f64) : [n]f64 = sort_by f64.neg (<) xs

-- ==
-- entry: lexicographic
-- input { [1, 0, 1, 0] [5, 7, 2, 6] } output { [0, 0, 1, 1] [6, 7, 2, 5] }

entry lexicographic [n] (xs: [n]i32) (ys: [n]i32) : ([n]i32, [n]i32) =
  let less (a, b) (c, d) = a < c || (a == c && b < d)
  let rs = sort_by (\r -> (r.x, r.y)) less (map2 (\x y -> {x, y}) xs ys)
  in (map (.x) rs, map (.y) rs)
