"""Hindley-Milner inference that the front ends share: types, unification, demands, generalisation.

A front end writes the rules of its language; the unknown types, what is demanded of them, and the
copies of them that an instance of a scheme gets are kept by :class:`~.unify.Solver`.
"""
