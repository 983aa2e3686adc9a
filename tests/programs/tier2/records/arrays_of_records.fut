-- Arrays of records are built, indexed, sliced, updated in place, reduced and scanned.
-- ==
-- input { [1, 2, 3] [0.5, 1.5, 2.5] } output { 6 4.5 }
-- input { empty([0]i32) empty([0]f64) } output { 0 0.0 }

type sample = {count: i32, weight: f64}

def plus (a: sample) (b: sample) : sample =
  {count = a.count + b.count, weight = a.weight + b.weight}

def zero: sample = {count = 0, weight = 0}

def main [n] (counts: [n]i32) (weights: [n]f64) : (i32, f64) =
  let s = reduce plus zero (map2 (\count weight -> {count, weight}) counts weights)
  in (s.count, s.weight)

-- ==
-- entry: running
-- input { [1, 2, 3] [0.5, 1.5, 2.5] } output { [1, 3, 6] [0.5, 2.0, 4.5] }
-- input { empty([0]i32) empty([0]f64) } output { empty([0]i32) empty([0]f64) }
-- input { [7] [-1.0] } output { [7] [-1.0] }

entry running [n] (counts: [n]i32) (weights: [n]f64) : ([n]i32, [n]f64) =
  let ss = scan plus zero (map2 (\count weight -> {count, weight}) counts weights)
  in (map (.count) ss, map (.weight) ss)

-- ==
-- entry: element_update
-- input { 5i64 2i64 } output { [0i64, 1i64, -2i64, 3i64, 4i64] }
-- input { 1i64 0i64 } output { [0i64] }
-- input { 3i64 3i64 } error: out of bounds

entry element_update (n: i64) (i: i64) : [n]i64 =
  let ps = map (\k -> {key = k, negate = false}) (iota n)
  let ps = ps with [i] = {key = ps[i].key, negate = true}
  in map (\p -> if p.negate then -p.key else p.key) ps

-- ==
-- entry: slices
-- input { 6i64 } output { [1i64, 3i64, 5i64] 4i64 }

entry slices (n: i64) : ([]i64, i64) =
  let ps = map (\k -> {k, square = k * k}) (iota n)
  in (map (.k) ps[1::2], ps[2].square)

-- ==
-- entry: literal
-- input { 4 } output { [4, 5] [true, false] }

entry literal (x: i32) : ([2]i32, [2]bool) =
  let rs = [{v = x, b = true}, {b = false, v = x + 1}]
  in (map (.v) rs, map (.b) rs)
