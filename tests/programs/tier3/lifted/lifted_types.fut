-- Lifted abbreviations: `type^` may stand for types with functions, `type~` for types of unknown size.
-- ==
-- input { [1, 2, 3, 4] } output { 10 24 }
-- input { empty([0]i32) } output { 0 1 }

type^ monoid 'a = {op: a -> a -> a, unit: a}

def fold 'a [n] (m: monoid a) (xs: [n]a) : a = reduce m.op m.unit xs

def main [n] (xs: [n]i32) : (i32, i32) =
  (fold {op = (+), unit = 0} xs, fold {op = (*), unit = 1} xs)

-- ==
-- entry: predicates
-- input { [-3, 2, 5, 8] } output { [2, 8] }
-- input { empty([0]i32) } output { empty([0]i32) }

type^ predicate 'a = a -> bool

def both 'a (p: predicate a) (q: predicate a) : predicate a = \x -> p x && q x

entry predicates [n] (xs: [n]i32) : []i32 = filter (both (> 0) (\x -> x % 2 == 0)) xs

-- ==
-- entry: sequences
-- input { 3i64 } output { [0i64, 1i64, 2i64] }
-- input { 0i64 } output { empty([0]i64) }

type~ sequence 'a = {items: []a, label: i64}

def upto (n: i64) : sequence i64 = {items = iota n, label = n}

entry sequences (n: i64) : []i64 = (upto n).items
