"""Input and output of values: arguments, results and signatures as text, files and JSON."""
