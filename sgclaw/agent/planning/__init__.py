"""Long tasks: planned, split on the task board, carried out, judged from evidence and reviewed."""
