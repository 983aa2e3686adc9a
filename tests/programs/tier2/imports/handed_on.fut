-- `open import` offers what the file offers, also in a module; a plain `import` does not.
-- ==
-- input { 3 5 } output { 2 10 11 }
-- input { 8 5 } output { 3 16 17 }

import "lib/both"

module kept = { open import "lib/both" def twice (x: i32) : i32 = 2 * x }

def norm : i32 = 1

def main (a: i32) (b: i32) : (i32, i32, i32) =
  (a -| b, kept.twice (i32.max a b) + 0 * kept.squares a b, kept.((a - b) *| 0 + twice (i32.max a b)) + norm - 1)
