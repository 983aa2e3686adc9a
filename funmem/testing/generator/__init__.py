"""Generated well-typed FUN programs."""
