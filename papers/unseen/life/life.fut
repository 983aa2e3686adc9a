-- Conway's game of life on a torus.
-- ==
-- input { 1 [[0i8, 0i8, 0i8, 0i8], [0i8, 1i8, 1i8, 1i8], [0i8, 0i8, 0i8, 0i8], [0i8, 0i8, 0i8, 0i8]] }
-- output { [[0i8, 0i8, 1i8, 0i8], [0i8, 0i8, 1i8, 0i8], [0i8, 0i8, 1i8, 0i8], [0i8, 0i8, 0i8, 0i8]] }
-- input { 2 [[1i8]] }
-- output { [[0i8]] }

def generation [n] [m] (board: [n][m]i8) : [n][m]i8 =
  let cell i j =
    let north = (i + n - 1) % n
    let south = (i + 1) % n
    let west = (j + m - 1) % m
    let east = (j + 1) % m
    let alive =
      board[north, west] + board[north, j] + board[north, east]
      + board[i, west] + board[i, east]
      + board[south, west] + board[south, j] + board[south, east]
    in if alive == 3 || (alive == 2 && board[i, j] == 1) then 1 else 0
  in tabulate_2d n m cell

entry main [n] [m] (steps: i32) (board: [n][m]i8) : [n][m]i8 =
  loop board for _t < steps do generation board
