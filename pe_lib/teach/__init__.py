"""The teaching side of the course: slider figures, pictures, questions and the checks of the exercises."""
