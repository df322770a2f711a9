"""The questions of chapter 5: (question, {option: feedback}, the right option), in the order of the notebook."""

TABLE_OF_SCORES = (
    "In the table of these 16 scores (queries down, keys across) …",
    {
        "each row holds one number, because the query decides": "The query is rotated by its position, but so is the key. Along a row the offset grows by one from key to key.",
        "each diagonal holds one number": "Along a diagonal both move on by one, so the offset stays the same. In the figure the bars did not change either.",
        "mirrored entries are equal, because only the distance counts": "Compare a key one after the query with a key one before it: is the angle from query to key the same?",
    },
    "each diagonal holds one number",
)

WHICH_SIGN = (
    "Does the sign of the sine term matter?",
    {
        "no, because only the distance counts, and a distance has no sign": "Look at the table of scores near the start: what stands one place right of the main diagonal, and what one place left of it?",
        "yes: the wrong one exchanges keys before the query and keys after it": "Changing the sign of sin t is the same as changing the sign of t.",
        "only at large angles, because at small ones the sine is nearly 0": "At small angles sin t is about t, which is small but not 0. What happens to it when t changes its sign?",
    },
    "yes: the wrong one exchanges keys before the query and keys after it",
)

AFTER_ROTATION = (
    "After the rotation, the scores of A and B are …",
    {
        "equal, and smaller than 1": "Adding one number to both would do that. Rotate A and B by a quarter each: on which side of the query are they then?",
        "equal, and still 1": "A and B are rotated by a quarter. Draw both before and after.",
        "−1 and 1": "And the next cell computes it: A is rotated away from the query, and B stays as near as it was.",
    },
    "−1 and 1",
)

MEAN_OF_SCORES = (
    "The mean score of 4000 such pairs, as the offset grows from 0 to 256, …",
    {
        "falls": "From what? What is the mean score at offset 0, before anything is rotated?",
        "is about 0 throughout": "So there is nothing that could fall.",
        "swings up and down": "A single score does. What is the mean of 4000 swings that start anywhere?",
    },
    "is about 0 throughout",
)

TWO_SCORES = (
    "Two pairs of positions at distance 2 have quite different scores. What is wrong?",
    {
        "the rotation": "Then one of its properties must fail. It keeps lengths, and R₂ᵀR₄ = R₂: check both.",
        "RoPE: an offset fixes a score only roughly": "In the small example it held exactly, in whole numbers: 1, 1, 1 and 1. What was held fixed there?",
        "the test": "It changes two things at once: the positions and the words.",
    },
    "the test",
)

SUM_OF_POSITIONS = (
    "A user reports as a bug: “q and k are rotated the same way, so their product sees the *sum* of the positions. The key should be rotated backwards.” You answer:",
    {
        "Right: one of the two has to be rotated backwards.": "Then the score would depend on the sum. Try positions 3 and 8 against 4 and 9 with a quarter per token.",
        "It makes no difference, since both ways rotate by the same angles.": "It does: rotated in opposite directions, two words that move on together change their score.",
        "The dot product transposes one rotation, so the difference comes out.": "R(a)ᵀR(b) = R(b − a).",
    },
    "The dot product transposes one rotation, so the difference comes out.",
)

SAME_SCORE = (
    "One query is at 3 and one key at 8. At which other positions are the same two words sure to have the same score?",
    {
        "query at 0, key at 5": "Key − query is 5 again.",
        "query at 8, key at 3": "The offset is −5 there, so the sine term has the other sign.",
        "query at 6, key at 16": "Both positions are doubled, and so is the offset.",
    },
    "query at 0, key at 5",
)

CLOCKWISE = (
    "A function rotates queries and keys clockwise, both alike, and is right in everything else. Which test notices?",
    {
        "lengths are kept": "They are, whichever way one rotates.",
        "3 and 8 score as 3003 and 3008 do": "They do: only the meaning of before and after is exchanged.",
        "position 0 changes nothing": "It changes nothing in either direction.",
        "a row of numbers known beforehand": "A consistent direction is a convention, so only a known result, or a model trained with the other one, notices.",
    },
    "a row of numbers known beforehand",
)

FAR_KEYS = (
    "In one head, far keys have lower scores on average than near ones. With RoPE this …",
    {
        "holds for any queries and keys": "For unrelated queries and keys of mean 0 the average is 0 at every distance.",
        "comes from this head's contents": "For instance they are alike, or share a common part. With other contents far keys would score higher.",
        "cannot happen in a real head": "With key = query it does happen, though unevenly.",
    },
    "comes from this head's contents",
)
