-- reduce with library, own and non-commutative operators; the neutral element for nothing.
-- ==
-- entry: simple
-- input { [3, 1, 2] } output { 6 6 1 3 0 }
-- input { empty([0]i32) } output { 0 1 2147483647 -2147483648 0 }
-- input { [5] } output { 5 5 5 5 5 }

-- ==
-- entry: compose
-- input { [2, 3] [1, 5] } output { 6 8 }
-- input { empty([0]i32) empty([0]i32) } output { 1 0 }
-- input { [2, 0, 5] [1, 1, 1] } output { 0 6 }

-- ==
-- entry: longest_run
-- input { [true, true, false, true, true, true] } output { 3 }
-- input { [false] } output { 0 }
-- input { empty([0]bool) } output { 0 }

-- ==
-- entry: first_last
-- input { [4, 5, 6] } output { 4 6 }

entry simple [n] (xs: [n]i32) =
  (reduce (+) 0 xs, reduce (*) 1 xs, reduce i32.min i32.highest xs, reduce i32.max i32.lowest xs, reduce (^) 0 xs)

-- x |-> b x + a, one function after the other: associative, not commutative.
def after ((b, a): (i32, i32)) ((d, c): (i32, i32)) = (b * d, a * d + c)
entry compose [n] (bs: [n]i32) (as: [n]i32) = reduce after (1, 0) (zip bs as)

def join (al: i32, ar: i32, am: i32, an: i32) (bl: i32, br: i32, bm: i32, bn: i32) =
  ( if al == an then an + bl else al, if br == bn then bn + ar else br
  , i32.max (ar + bl) (i32.max am bm), an + bn )
entry longest_run [n] (bs: [n]bool) =
  (reduce join (0, 0, 0, 0) (map (\b -> let k = i32.bool b in (k, k, k, 1)) bs)).2

entry first_last [n] (xs: [n]i32) =
  (reduce (\x y -> if x == i32.lowest then y else x) i32.lowest xs, reduce (\x y -> if y == i32.lowest then x else y) i32.lowest xs)
