-- What is reduced at once is never in memory: the only block has the partial sums of chunks.
-- ==
-- input { [1, 2, 3] } output { 14 }
-- input { empty([0]i32) } output { 0 }
-- structure seq-mem { Alloc 1 Copy 0 }

def main [n] (xs: [n]i32) = i32.sum (map (\x -> x * x) xs)
