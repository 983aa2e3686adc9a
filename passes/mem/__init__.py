"""Passes on FUNMEM: allocation, and everything that rearranges memory (paper 002, secs. 3.5, 5)."""
