-- f16 arithmetic, comparisons and powers, including infinities and NaN.
-- ==
-- input { 1.5f16 2.25f16 } output { 3.75f16 -0.75f16 3.375f16 0.6665f16 }
-- input { 65504.0f16 65504.0f16 } output { f16.inf 0.0f16 f16.inf 1.0f16 }
-- input { 1.0f16 0.0f16 } output { 1.0f16 1.0f16 0.0f16 f16.inf }
-- input { 0.0f16 0.0f16 } output { 0.0f16 0.0f16 0.0f16 f16.nan }

def main (a: f16) (b: f16) : (f16, f16, f16, f16) = (a + b, a - b, a * b, a / b)

-- ==
-- entry: small_integers
-- input { 2047.0f16 } output { 2048.0f16 true true }
-- input { -3.0f16 } output { -2.0f16 true true }

entry small_integers (x: f16) : (f16, bool, bool) = (x + 1, (x + 1) - 1 == x, x * 2 == x + x)

-- ==
-- entry: compared
-- input { 1.0f16 2.0f16 } output { true false false true }
-- input { -0.0f16 0.0f16 } output { false true true false }
-- input { f16.nan 1.0f16 } output { false false false true }

entry compared (a: f16) (b: f16) : (bool, bool, bool, bool) = (a < b, a == b, a >= b && a <= b, a != b)

-- ==
-- entry: powers
-- input { 2.0f16 10.0f16 } output { 1024.0f16 -2.0f16 2.0f16 }
-- input { 9.0f16 0.5f16 } output { 3.0f16 -9.0f16 0.5f16 }

entry powers (a: f16) (b: f16) : (f16, f16, f16) = (a ** b, -a, f16.min a b)
