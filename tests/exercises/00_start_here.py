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

HINTS = {
    "0.1": {
        "query minus key": "You have query − key",
        "distance without its sign": "tells back from ahead",
        "both ends counted": "places, counted from 0",
    },
}
