-- Operators of one’s own, with the precedence of their first character.
-- ==
-- input { 3 4 } output { 7i32 9i32 -2i32 9i32 }
-- input { -1 5 } output { -1i32 11i32 -7i32 2i32 }

def (<+>) (a: (i32, i32)) (b: (i32, i32)) : (i32, i32) = (a.0 + b.0, a.1 + b.1)
def (*.) (k: i32) (a: (i32, i32)) : (i32, i32) = (k * a.0, k * a.1)
def minus (x: i32) (y: i32) : i32 = x - y
def (+%) (x: i32) (y: i32) : i32 = (x + y) % 10
def main (x: i32) (y: i32) : (i32, i32, i32, i32) =
  let (a, b) = 2 *. (x, y) <+> (1, 1)
  in (a, b, x `minus` y `minus` 1, 7 +% x * y)
