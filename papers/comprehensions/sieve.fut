-- The sieve of Eratosthenes: each round computes the primes below m * m from those below m.
-- ==
-- input { 30i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64, 29i64] }
-- input { 29i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64, 23i64] }
-- input { 5i64 } output { [2i64, 3i64] }
-- input { 3i64 } output { [2i64] }
-- input { 2i64 } output { empty([0]i64) }
-- input { 0i64 } output { empty([0]i64) }

-- The number of multiples depends on the prime.  The rounds end when the square reaches n.
def main (n: i64) : []i64 =
  let (primes, _) =
    loop (primes, m) = ([], 2) while m < n do
      let next = i64.min n (m * m)
      let multiples = [ j * p | p <- primes, j <- 2..<(next + p - 1) / p ]
      let prime = scatter (replicate next true) multiples (map (const false) multiples)
      in ([ i | i <- 2..<next, prime[i] ], next)
  in primes

-- ==
-- entry: count
-- input { 1000i64 } output { 168i64 }
-- input { 10i64 } output { 4i64 }
entry count (n: i64) : i64 = length (main n)
