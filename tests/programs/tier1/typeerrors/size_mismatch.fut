-- Two arrays whose lengths are different names cannot be walked together.
-- ==
-- error: [Ss]ize

def dot [n] (xs: [n]i32) (ys: [n]i32) = i32.sum (map2 (*) xs ys)

def main [n] [m] (xs: [n]i32) (ys: [m]i32) = dot xs ys
