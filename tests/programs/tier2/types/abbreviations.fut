-- Type abbreviations with type parameters stand for tuples, records and arrays.
-- ==
-- input { 1 2.5 } output { 2.5 1 }

type pair 'a 'b = (a, b)
type twice 'a = pair a a
type labelled 'a = {label: u8, value: a}

def swap 'a 'b ((x, y): pair a b) : pair b a = (y, x)

def main (a: i32) (b: f64) : (f64, i32) = swap (a, b)

-- ==
-- entry: of_abbreviations
-- input { 3 4 } output { 7 12 }

def total (t: twice (twice i32)) : i32 = t.0.0 + t.0.1 + t.1.0 + t.1.1

entry of_abbreviations (a: i32) (b: i32) : (i32, i32) =
  (total ((a, b), (0, 0)), total ((a, a), (a, (b - a) * 3)))

-- ==
-- entry: labels
-- input { [1, 2, 3] } output { [108u8, 108u8, 108u8] 6 }
-- input { empty([0]i32) } output { empty([0]u8) 0 }

def label 'a (value: a) : labelled a = {label = 'l', value}

entry labels [n] (xs: [n]i32) : ([n]u8, i32) =
  let ls = map label xs
  in (map (.label) ls, i32.sum (map (.value) ls))

-- ==
-- entry: synonyms
-- input { 2.0 } output { 3.0 }

type real = f64
type scalar = real

entry synonyms (x: scalar) : real = x + 1
