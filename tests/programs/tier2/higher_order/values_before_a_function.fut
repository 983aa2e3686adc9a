-- Definitions without parameters whose value is a function that needs other values first.
-- ==
-- entry: main
-- input { 2i64 } output { 10u64 true false 4i64 9i64 }
-- input { 0i64 } output { 8u64 false false 0i64 7i64 }

-- ==
-- entry: mapped
-- input { 3i64 } output { [0i64, 2i64, 4i64] [4i64, 6i64] }

def add : i32 -> u64 = flip (\a (b: i32) -> u64.i32 (a + b)) (2 << 2)

def same : bool -> bool = ((1 >= 1i32) ==)

def never : i64 -> bool = const (and [false, true])

def doubled : i64 -> i64 =
  let xs = map (* 2) (iota 4)
  in \i -> xs[i]

def later : (i64 -> i64) -> i64 -> i64 =
  let y = i64.sum (iota 4)
  in \f x -> f (x + y)

entry main (x: i64) = (add (i32.i64 x), same (x > 1), never x, doubled x, later (+ 1) x)

entry mapped (n: i64) = (map doubled (iota n), map (later (doubled <-< (% 4))) (iota 2))
