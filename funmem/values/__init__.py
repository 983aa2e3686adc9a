"""Values in and out: arguments, results and signatures as text, files and JSON."""
