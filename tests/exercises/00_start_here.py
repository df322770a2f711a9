"""Classic wrong answers to the practice exercise of chapter 0."""

WRONG = {
    "0.1": {
        "query minus key": '''
def relative_position(query, key):
    return query - key
''',
        "distance without its sign": '''
def relative_position(query, key):
    return abs(key - query)
''',
        "both ends counted": '''
def relative_position(query, key):
    return key - query + 1
''',
    },
}
