-- Three arrays read, one written.
-- ==
-- input { [1, 2] [3, 4] [5, 6] } output { [8, 14] }
-- input { empty([0]i32) empty([0]i32) empty([0]i32) } output { empty([0]i32) }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) = map3 (\x y z -> x * y + z) xs ys zs
