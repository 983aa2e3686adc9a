-- An import path may go up and down again.
-- ==
-- input { 2.0 } output { 4.0 }

import "../imports/lib/vector"

def main (k: f64) : f64 = dot [k, 1] [k, 0]
