-- Array literals of different sizes are mapped together.
-- ==
-- error: 3

def main (x: i32) : [2]i32 = map2 (+) [x, 2] [1, 2, 3]
