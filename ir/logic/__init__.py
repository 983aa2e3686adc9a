"""Provers and analyses of sizes, index functions, blocks and traps.

All passes and the verifier may use this package; it imports only ``ir``.
"""
