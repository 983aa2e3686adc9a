-- Imported by other programs: constants, and a name that importers shadow.
-- ==
-- entry: test_constants
-- input { } output { 1.0 0.0 }

def one: f64 = 1
def zero: f64 = 0
def limit: i32 = 100

entry test_constants : (f64, f64) = (one, zero)
