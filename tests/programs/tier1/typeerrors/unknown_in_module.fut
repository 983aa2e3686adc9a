-- A built-in module that lacks a function: integers have no square root.
-- ==
-- error: [Uu]nknown.*i32\.sqrt

def norm (xs: []i32) = i32.sqrt (i32.sum (map (\x -> x * x) xs))

def main (xs: []i32) = norm xs
