-- Applying a number.
-- ==
-- error: [Ff]unction

def main (scale: i32) (xs: []i32) = map (\x -> scale x) xs
