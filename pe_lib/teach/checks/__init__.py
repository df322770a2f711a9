"""The checks of the exercises: one module a chapter; ``exercise`` is what they are built from."""
