-- Top-level functions without annotations are generalised and used at several types.
-- ==
-- input { 2 } output { 4 4.5 }
-- input { -1 } output { 1 4.5 }
-- input { 65536 } output { 0 4.5 }

def twice f x = f (f x)
def both f g x = (f x, g x)

def main (n: i32) : (i32, f64) = (twice (* n) 1, twice (/ 2.0) 18.0f64)

-- ==
-- entry: pairing
-- input { 3 } output { 4 true }
-- input { -3 } output { -2 false }

entry pairing (n: i32) : (i32, bool) = both (+ 1) (> 0) n

-- ==
-- entry: two_element_types
-- input { [1, 2, 3] [1.5, 2.5, 3.5] } output { 3 3.5 }

def final xs = xs[length xs - 1]

entry two_element_types [n] (xs: [n]i32) (ys: [n]f64) : (i32, f64) = (final xs, final ys)
