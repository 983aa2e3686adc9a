"""What is known of sizes, index functions, blocks and traps: provers and analyses.

Every pass and the verifier may use them; they import nothing but ``ir``.
"""
