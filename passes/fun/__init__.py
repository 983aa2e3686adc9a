"""Passes from FUN to FUN."""
