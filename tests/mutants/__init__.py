"""Do the checks refuse what is wrong? Mistakes, right answers and generated mutants, all tried."""
