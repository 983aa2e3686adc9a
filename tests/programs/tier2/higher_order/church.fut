-- Functions that only consist of functions: numerals and booleans coded as functions disappear at compile time.
-- ==
-- input { 0 } output { 2 3 5 6 8 }
-- input { 10 } output { 12 13 15 16 18 }

def two 'a (f: a -> a) (x: a) : a = f (f x)
def three 'a (f: a -> a) (x: a) : a = f (f (f x))
def plus 'a (m: (a -> a) -> a -> a) (n: (a -> a) -> a -> a) (f: a -> a) (x: a) : a = m f (n f x)
def times 'a (m: (a -> a) -> a -> a) (n: (a -> a) -> a -> a) (f: a -> a) : a -> a = m (n f)

def main (x: i32) : (i32, i32, i32, i32, i32) =
  let inc = (+ 1)
  in ( two inc x, three inc x, plus two three inc x, times two three inc x
     , times two (times two two) inc x)

-- ==
-- entry: choice
-- input { 1 2 } output { 1 2 }

def yes 'a (x: a) (_: a) : a = x
def no 'a (_: a) (y: a) : a = y
def select 'a (c: a -> a -> a) (x: a) (y: a) : a = c x y

entry choice (x: i32) (y: i32) : (i32, i32) = (select yes x y, select no x y)
