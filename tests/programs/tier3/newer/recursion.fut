-- Self-recursive functions on numbers: a decreasing argument, two calls, and a tail call.
-- ==
-- input { 5i64 } output { 120i64 }
-- input { 0i64 } output { 1i64 }

def factorial (n: i64) : i64 = if n <= 0 then 1 else n * factorial (n - 1)

def main (n: i64) : i64 = factorial n

-- ==
-- entry: fibonacci
-- input { 10 } output { 55 }
-- input { 1 } output { 1 }
-- input { 0 } output { 0 }

def fib (n: i32) : i32 = if n < 2 then n else fib (n - 1) + fib (n - 2)

entry fibonacci (n: i32) : i32 = fib n

-- ==
-- entry: greatest_common_divisor
-- input { 48 18 } output { 6 }
-- input { 0 7 } output { 7 }

def gcd (a: i32) (b: i32) : i32 = if b == 0 then a else gcd b (a % b)

entry greatest_common_divisor (a: i32) (b: i32) : i32 = gcd a b

-- ==
-- entry: ackermann
-- input { 2 3 } output { 9 }
-- input { 0 0 } output { 1 }

def ack (m: i32) (n: i32) : i32 =
  if m == 0 then n + 1
  else if n == 0 then ack (m - 1) 1
  else ack (m - 1) (ack m (n - 1))

entry ackermann (m: i32) (n: i32) : i32 = ack m n
