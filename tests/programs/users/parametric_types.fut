-- Abbreviations with type and size parameters.
-- ==
-- input { [[1, 2, 3], [4, 5, 6]] [0, 2] } output { [3i64, 3i64] [false, true] }

type grid 'a [n] [m] = [n][m]a
type~ list 'a = []a
type pair 'a 'b = {fst: a, snd: b}
def rows 'a [n] [m] (g: grid a [n] [m]) : [n]i64 = map length g
def second 'a 'b [n] (ps: [n]pair a b) : [n]b = map (.snd) ps
def main (g: [2][3]i32) (xs: list i32) : ([2]i64, []bool) =
  (rows g, second (map (\x -> {fst = x, snd = x > 1}) xs))
