-- More indices than the array has dimensions.
-- ==
-- error: i32

def main [n] (xs: [n]i32) = map (\i -> xs[i, i]) (iota n)
