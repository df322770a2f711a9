"""The questions of chapter 2: (question, {option: feedback}, the right option), in the order of the notebook."""

LARGE_NUMBERS = (
    "The two words get 1000 and 1001 added to each of their features. Their cosine is then about …",
    {
        "−0.17, as before": "That would need an addition that is small. How long is a vector of 64 thousands?",
        "0.5": "A fair guess for a mixture of equals. But 1000 is added to features of size 1.",
        "1.00": "Yes. Beside 1000, features of size 1 hardly count: both now point almost along (1, 1, …, 1).",
    },
    "1.00",
)

ONE_MATRIX = (
    "Can you?",
    {
        "yes, with no more than the hand, its speed and the 3": "Yes: turn it by 0.3 radian. Next: that turn as a matrix.",
        "only if they tell me the position": "It was needed to draw the *first* hand. What would you do with it now?",
        "only if the hand has not yet gone round": "A full round brings it back. Would 0.3 radian more look different?",
    },
    "yes, with no more than the hand, its speed and the 3",
)

MOVING_AWAY = (
    "Hold one position and move the other away from it, token by token. The similarity …",
    {
        "falls at every step": "Its *slow* cosines do, for long. What do the fast ones do after half a turn?",
        "falls at first, and later rises in places": "Yes. The next figure shows where, and by which pairs.",
        "depends on which position is held": "Look at the four rows above: is any diagonal not constant?",
    },
    "falls at first, and later rises in places",
)

FAR_LENGTH = (
    "At width 128, how much longer is the encoding of position 50,000 than that of position 5?",
    {
        "10,000 times": "That would be the integer counter. What does sin² + cos² come to, at any angle?",
        "not at all": "√64 = 8 at both, and at every other position.",
        "a little, since slow hands have moved on": "Along a circle. Does a hand get longer as it turns?",
    },
    "not at all",
)

FIVE_ON = (
    "`table` holds one position a row. Which line moves every row five tokens on?",
    {
        "`table @ M5.T`": "M acts on columns; for rows it stands on the right, transposed.",
        "`table @ M5`": "That runs, and moves every row five tokens *back*.",
        "`M5 @ table`": "It mixes *positions*, not features, and fits only if there are as many of both.",
        "none: each row needs its own matrix": "The rows stand at different angles, but all *turn by* the same ones.",
    },
    "`table @ M5.T`",
)

SAME_DISTANCE = (
    "PE(10) · PE(14) is 23.9 at width 64. What is PE(10) · PE(6)?",
    {
        "less: 6 comes before 10": "cos(−x) = cos(x). Where would before and after come in?",
        "it cannot be said without computing": "Both are 4 apart. What else enters the sum of cosines?",
        "23.9": "Only the distance counts. Before and after look the same here.",
    },
    "23.9",
)

OTHER_LAYOUT = (
    "A colleague's encoding has the sines first, yours is interleaved. Which test notices?",
    {
        "the shape": "Both are (n, d).",
        "the length of each row": "A permutation leaves lengths alone.",
        "the dot products among one table's own rows": "A permutation changes none of them.",
        "row 1, compared with numbers known beforehand": "A golden value. No other of the four sees the order.",
    },
    "row 1, compared with numbers known beforehand",
)
