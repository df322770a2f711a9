"""The practice check of chapter 0 (classic mistakes: exercises/; the tests themselves: test_check_answers.py)."""

RIGHT = [
    ("0.1", lambda query, key: key - query),
    ("0.1", lambda query, key: -(query - key)),
]
UNTOUCHED = [("0.1", lambda query, key: ...)]
