-- Arrays of different unknown sizes are mapped together.
-- ==
-- error: [nm]

def main [n] [m] (xs: [n]i32) (ys: [m]i32) : [n]i32 = map2 (+) xs ys
