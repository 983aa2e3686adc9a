-- Values in files beside the program: as text, binary, and compressed.
-- ==
-- input @ inputs/five.in output @ inputs/five.out
-- "binary" input @ inputs/five.bin output { [2, 4, 6, 8, 10] 15 }
-- input @ inputs/five.bin.gz output @ inputs/five.out

def main [n] (xs: [n]i32) (k: i32) = (map (* k) xs, i32.sum xs)
