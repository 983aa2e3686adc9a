-- Recursive functions whose types are inferred.
-- ==
-- input { 5 18 } output { 120 6 }
-- input { 0 7 } output { 1 1 }

def factorial n = if n == 0 then 1 else n * factorial (n - 1)
def divisor a b = if b == 0 then a else divisor b (a % b)

def main (n: i32) (m: i32) : (i32, i32) = (factorial n, divisor 12 m)

-- ==
-- entry: search
-- input { [2, 3, 5, 7, 11] 7 } output { 3i64 true }
-- input { [2, 3, 5, 7, 11] 4 } output { -1i64 true }
-- input { empty([0]i32) 4 } output { -1i64 true }

def find [n] (xs: [n]i32) key lo (hi: i64) =
  if lo >= hi
  then -1
  else let mid = (lo + hi) / 2
       in if xs[mid] == key then mid
          else if xs[mid] < key then find xs key (mid + 1) hi else find xs key lo mid

def last_of 'a (x: a) (n: i64) = if n == 0 then x else last_of x (n - 1)

entry search (xs: []i32) (key: i32) : (i64, bool) =
  (last_of (find xs key 0 (length xs)) 3, last_of true 2)

-- ==
-- entry: filled
-- input { 4i64 } output { [0i64, 2i64, 4i64, 6i64] 5i64 }
-- input { 0i64 } output { empty([0]i64) 1i64 }

def fill (xs: *[]i64) i = if i >= length xs then xs else fill (xs with [i] = 2 * i) (i + 1)
def steps (r: {at: i64, end: i64}) = if r.at > r.end then r.at else steps (r with at = r.at + 1)

entry filled (n: i64) : ([]i64, i64) = (fill (replicate n 0) 0, steps {at = 0, end = n})
