-- Functions of the program take functions: lambdas, named functions, operators and sections.
-- ==
-- input { [1, 2, 3] } output { [1, 4, 9] [2, 3, 4] [-1, -2, -3] 6 }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) empty([0]i32) 0 }

def apply_all 'a 'b [n] (f: a -> b) (xs: [n]a) : [n]b = map f xs
def fold 'a [n] (op: a -> a -> a) (ne: a) (xs: [n]a) : a = loop acc = ne for x in xs do op acc x
def square (x: i32) = x * x

def main [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32, i32) =
  (apply_all square xs, apply_all (+ 1) xs, apply_all (\x -> -x) xs, fold (+) 0 xs)

-- ==
-- entry: three_levels
-- input { 3 } output { 27 }
-- input { -1 } output { -9 }
-- input { 0 } output { 0 }

def with_twice (g: (i32 -> i32) -> i32 -> i32) (f: i32 -> i32) (x: i32) : i32 = g f (g f x)
def add_self (f: i32 -> i32) (x: i32) : i32 = f x + x

entry three_levels (x: i32) : i32 = with_twice add_self (\y -> 2 * y) x

-- ==
-- entry: order_matters
-- input { 10 3 } output { 7 -7 }

def call (f: i32 -> i32 -> i32) (a: i32) (b: i32) : i32 = f a b

entry order_matters (a: i32) (b: i32) : (i32, i32) = (call (-) a b, call (flip (-)) a b)
