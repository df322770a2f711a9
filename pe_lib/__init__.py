"""The shared library of the course: the maths in NumPy, and the figures, quizzes and checks that teach it.

Nothing is imported here: ``import pe_lib`` is free, and each chapter says where a name comes from.
"""
