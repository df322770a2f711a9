"""The question of chapter 0: (question, {option: feedback}, the right option)."""

WHERE_ZERO = (
    "In a table with one row for each query and one column for each key, where is *relative* = 0?",
    {
        "in the first row": "There the query is word 0. Are all keys word 0 as well?",
        "on the diagonal": "Row i, column i: the run below prints it.",
        "in the first column": "There the key is word 0. Which query has relative 0 to it?",
    },
    "on the diagonal",
)
