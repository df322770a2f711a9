"""The questions of chapter 2: (question, {option: feedback}, the right option), in the order of the notebook."""

LARGE_NUMBERS = (
    "1000 is added to each feature of the first word, and 1001 to each feature of the second. What is the cosine between them now?",
    {
        "−0.17, as before": "It would be, if the numbers added were small. How long is a vector whose 64 entries are all 1000?",
        "about 0.5": "This would fit if both parts had the same size. But 1000 is added to features of size 1.",
        "about 1.00": "Beside 1000, features of size 1 hardly count, so both words now point almost along (1, 1, …, 1).",
    },
    "about 1.00",
)

ONE_MATRIX = (
    "Can you draw it?",
    {
        "yes, from the hand and its speed": "Move it on by 0.3 radian. The next cells write this as a matrix.",
        "yes, if I am told the position": "The position was needed to draw the *first* hand. What would you use it for now?",
        "yes, if it has not yet gone round": "A full round brings it back. Would 0.3 radian more look different?",
    },
    "yes, from the hand and its speed",
)

MOVING_AWAY = (
    "Keep one position and move the other away from it, token by token. How does the similarity change?",
    {
        "it falls at every step": "The *slow* cosines do so for a long time. What do the fast ones do after half a turn?",
        "it falls at first, and later rises in places": "The next figure shows where, and which pairs are the reason.",
        "it depends on which position is kept": "Look at the four rows above: is any diagonal not constant?",
    },
    "it falls at first, and later rises in places",
)

FAR_LENGTH = (
    "At width 128, how much longer is the encoding of position 50,000 than that of position 5?",
    {
        "10,000 times": "This would hold for the index itself. What is sin² + cos², at any angle?",
        "not at all": "The length is √64 = 8 at both, and at every other position.",
        "a little, since slow hands have moved": "They move along a circle. Does a hand get longer as it goes round?",
    },
    "not at all",
)

FIVE_ON = (
    "Each row of `table` is the encoding of one position. Which line moves every row five tokens on?",
    {
        "`table @ M5.T`": "M acts on columns; for rows it has to be on the right, and transposed.",
        "`table @ M5`": "That runs, and moves every row five tokens *back*.",
        "`M5 @ table`": "It mixes *positions*, not features, and fits only if there are as many of both.",
        "none: each row needs its own matrix": "The rows have different angles, but all of them *move by* the same ones.",
    },
    "`table @ M5.T`",
)

SAME_DISTANCE = (
    "PE(10) · PE(14) is 23.9 at width 64. What is PE(10) · PE(6)?",
    {
        "less: 6 comes before 10": "cos(−x) = cos(x). So does it matter which of the two comes first?",
        "it cannot be said without computing": "Both are 4 apart. What else enters the sum of cosines?",
        "23.9": "Only the distance counts. Before and after look the same here.",
    },
    "23.9",
)

OTHER_LAYOUT = (
    "A colleague's encoding has the sines first, yours is interleaved. Which test notices?",
    {
        "the shape": "Both are (n, d).",
        "the length of each row": "A permutation does not change lengths.",
        "the dot products among one table's own rows": "A permutation changes none of them.",
        "row 1, compared with numbers known beforehand": "This is a golden value. None of the other three sees the order.",
    },
    "row 1, compared with numbers known beforehand",
)
