"""The questions of chapter 5: (question, {option: feedback}, the right option), in the order of the notebook."""

MOVED_PAIR = (
    "Moved from 3 and 8 to 4 and 9, each arrow has turned by one more quarter. Their dot product …",
    {
        "changes: both arrows point elsewhere now": "They do. Does a dot product ask where two arrows point, or how they stand to each other?",
        "is the same as before": "So the run below says, for these places and for all others five apart.",
        "is the same only after four such moves, when the arrows are back": "The arrows are back after four. Is the angle *between* them any different in the meantime?",
    },
    "is the same as before",
)

WHICH_SIGN = (
    "Does it matter which sign one takes?",
    {
        "no: all that counts is the distance, and that has no sign": "Look at the table of scores near the start: what is one place right of the diagonal, and what one place left?",
        "only at large angles": "At small ones sin t is about t, which is not nothing. What happens to it when t changes its sign?",
        "yes: with the wrong one, keys before the query are treated as keys after it": "Yes. Changing the sign of sin t is the same as changing the sign of t.",
    },
    "yes: with the wrong one, keys before the query are treated as keys after it",
)

WITH_THE_TURNS = (
    "With the turns, the scores of A and B are …",
    {
        "equal, and smaller than 1": "That is what adding one number to both would do. Turn A and B by a quarter each: on which side of the query are they then?",
        "−1 and 1": "So it comes out below: one is turned away, the other stays as near as it was.",
        "equal, and still 1": "Something is turned by a quarter. Draw the two keys before and after.",
    },
    "−1 and 1",
)

MEAN_OF_SCORES = (
    "The mean score of 4000 such pairs, as the offset grows from 0 to 256, …",
    {
        "falls": "From what? What is the mean score at offset 0, before anything is turned?",
        "is about 0 throughout": "Yes. And so there is nothing that could fall.",
        "swings up and down": "One single score does. What becomes of 4000 swings that begin anywhere?",
    },
    "is about 0 throughout",
)

TWO_SCORES = (
    "Distance 2 gives two quite different scores. What is at fault?",
    {
        "the rotation": "Then one of its properties must fail. Lengths, and R₂ᵀR₄ = R₂: check both.",
        "the theory: the gap fixes a score only roughly": "At the start it held exactly, in whole numbers: 1, 1, 1 and 1. What was held fixed there?",
        "the test": "Yes. It changes two things at once: the place and the words.",
    },
    "the test",
)

SUM_OF_POSITIONS = (
    "A user reports as a bug: “q and k are turned the same way, so their product sees the *sum* of the positions. The key should be turned backwards.” You answer:",
    {
        "right, one of them should go backwards": "Then the score would depend on the sum. Try positions 3 and 8 against 4 and 9 with a quarter turn.",
        "the dot product transposes one of the two turns, so the difference comes out": "Yes: R(a)ᵀR(b) = R(b − a).",
        "it makes no difference": "It does: turned against each other, two words that move on together change their score.",
    },
    "the dot product transposes one of the two turns, so the difference comes out",
)

SAME_SCORE = (
    "One query, one key, at 3 and 8. Which other positions of the same two words are sure to score the same?",
    {
        "8 and 3": "The gap is −5 there. The sine term changes its sign.",
        "6 and 16": "Twice the places, twice the gap.",
        "0 and 5": "Yes: key − query is 5 again.",
    },
    "0 and 5",
)

CLOCKWISE = (
    "A function turns queries and keys clockwise, both alike, and is otherwise right. Which test notices?",
    {
        "lengths are kept": "They are, whichever way one turns.",
        "3 and 8 score as 3003 and 3008 do": "They do: only the meaning of before and after is exchanged.",
        "position 0 changes nothing": "It changes nothing in either direction.",
        "a row whose numbers are known beforehand": "Yes. A consistent direction is a convention; only a golden value, or a model trained with the other one, notices.",
    },
    "a row whose numbers are known beforehand",
)

FAR_KEYS = (
    "In a head, the scores of far keys turn out lower on average than those of near ones. With RoPE this …",
    {
        "is bound to be so": "For unrelated queries and keys of mean 0 the average is 0 at every distance.",
        "says something about the head's queries and keys": "Yes: they are alike, or share a common part, in pairs whose speed makes it so. Other contents would prefer afar.",
        "is impossible": "With key = query it happens, unevenly.",
    },
    "says something about the head's queries and keys",
)
