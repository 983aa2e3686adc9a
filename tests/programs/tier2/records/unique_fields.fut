-- A consumed record lets its array fields be updated in place; other fields stay as they are.
-- ==
-- input { 3i64 } output { [7i64, 1i64, 2i64] 1i64 }
-- input { 1i64 } output { [7i64] 1i64 }

type buffer [n] = {cells: [n]i64, writes: i64}

def write [n] (b: *buffer [n]) (i: i64) (v: i64) : *buffer [n] =
  let writes = b.writes + 1
  in {cells = b.cells with [i] = v, writes}

def main (n: i64) : ([n]i64, i64) =
  let b = write {cells = iota n, writes = 0} 0 7
  in (b.cells, b.writes)

-- ==
-- entry: field_path
-- input { 4i64 } output { [0i64, 10i64, 2i64, 3i64] 4i64 }

entry field_path (n: i64) : ([n]i64, i64) =
  let b = {cells = iota n, writes = n}
  let b = b with cells = (copy b.cells with [1] = 10)
  in (b.cells, b.writes)

-- ==
-- entry: in_loop
-- input { 5i64 } output { [0i64, 1i64, 4i64, 9i64, 16i64] 5i64 }
-- input { 0i64 } output { empty([0]i64) 0i64 }

entry in_loop (n: i64) : ([n]i64, i64) =
  let b: buffer [n] =
    loop b = {cells = replicate n 0, writes = 0} for i < n do write b i (i * i)
  in (b.cells, b.writes)
