"""The questions of the chapters: apart from the notebooks, so that no reader sees an answer before the question."""
