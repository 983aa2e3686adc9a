-- Breadth-first search on a graph in CSR form, level by level, the edges of a frontier flattened.
-- ==
-- input { [0i64, 2i64, 3i64, 4i64, 4i64, 4i64] [1i64, 2i64, 3i64, 3i64] 0i64 }
-- output { [0, 1, 1, 2, -1] }
-- input { [0i64, 2i64, 3i64, 4i64, 4i64, 4i64] [1i64, 2i64, 3i64, 3i64] 4i64 }
-- output { [-1, -1, -1, -1, 0] }
-- input { [0i64, 1i64] [0i64] 0i64 } output { [0] }
-- input { [0i64, 0i64] empty([0]i64) 0i64 } output { [0] }
-- input { [0i64, 1i64] [7i64] 0i64 } error: out of bounds

-- The neighbours of node v are edges[starts[v]] up to edges[starts[v + 1]].
type graph [k] [m] = {starts: [k]i64, edges: [m]i64}

def degree [k] [m] (g: graph [k] [m]) (v: i64) : i64 = g.starts[v + 1] - g.starts[v]

-- All neighbours of all nodes of a frontier: each node's number is written where its neighbours
-- begin, and a scan repeats it over them.
def neighbours [k] [m] [f] (g: graph [k] [m]) (frontier: [f]i64) : []i64 =
  let degrees = map (degree g) frontier
  let ends = scan (+) 0 degrees
  let total = if f == 0 then 0 else last ends
  let begins = map2 (-) ends degrees
  let owners = reduce_by_index (replicate total 0) i64.max 0
                               (map2 (\b d -> if d == 0 then -1 else b) begins degrees) (iota f)
               |> scan i64.max 0
  in map2 (\o i -> g.edges[g.starts[frontier[o]] + (i - begins[o])]) owners (iota total)

def search [k] [m] (g: graph [k] [m]) (source: i64) : []i32 =
  let n = k - 1
  let levels = replicate n (-1) with [source] = 0
  -- A node may be found several times on one level: who found it first may add it to the frontier.
  let (levels, _, _, _) =
    loop (levels, finder, frontier, level) = (levels, replicate n i64.highest, [source], 0)
    while length frontier > 0 do
      let [f] (found: [f]i64) = filter (\v -> levels[v] < 0) (neighbours g frontier)
      let finder = reduce_by_index finder i64.min i64.highest found (iota f)
      let frontier = map (.0) (filter (\(v, i) -> finder[v] == i) (zip found (iota f)))
      let levels = scatter levels frontier (map (const (level + 1)) frontier)
      in (levels, finder, frontier, level + 1)
  in levels

def main [k] [m] (starts: [k]i64) (edges: [m]i64) (source: i64) : []i32 =
  search {starts, edges} source

-- ==
-- entry: by_pulling
-- input { [0i64, 2i64, 4i64, 6i64, 6i64] [1i64, 2i64, 0i64, 2i64, 0i64, 1i64] 1i64 }
-- output { [1, 0, 1, -1] }

-- For graphs whose edges go both ways: every node not yet reached looks for a neighbour that is.
entry by_pulling [k] [m] (starts: [k]i64) (edges: [m]i64) (source: i64) : []i32 =
  let n = k - 1
  let start = map (\v -> if v == source then 0 else -1) (iota n)
  let (levels, _, _) =
    loop (levels, level, changed) = (start, 0, true) while changed do
      let pull v old =
        if old >= 0 then old
        else let (_, hit) =
               loop (e, hit) = (starts[v], false) while !hit && e < starts[v + 1] do
                 (e + 1, levels[edges[e]] == level)
             in if hit then level + 1 else -1
      let new = map2 pull (iota n) levels
      in (new, level + 1, or (map2 (!=) levels new))
  in levels

-- ==
-- entry: reach
-- input { [0i64, 2i64, 3i64, 4i64, 4i64, 4i64] [1i64, 2i64, 3i64, 3i64] 0i64 } output { 4i64 2 }

-- How many nodes are reached, and the level of the last of them.
entry reach [k] [m] (starts: [k]i64) (edges: [m]i64) (source: i64) : (i64, i32) =
  let levels = search {starts, edges} source
  in (i64.sum (map (\l -> i64.bool (l >= 0)) levels), i32.maximum levels)
