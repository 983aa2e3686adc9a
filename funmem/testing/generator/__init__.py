"""Generator of well-typed FUN programs."""
