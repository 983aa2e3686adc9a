-- An operator that nothing defines.
-- ==
-- error: [Uu]nknown.*<\+>

def main [n] (xs: [n]i32) (ys: [n]i32) = map2 (\x y -> x <+> y) xs ys
