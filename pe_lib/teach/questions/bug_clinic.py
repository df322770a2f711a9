"""The questions of chapter 12: (question, {option: feedback}, the right option), in the order of the notebook."""

WHICH_TEST = (
    "The weights were trained with interleaved pairs. Which test of A, by itself, would have caught the fault?",
    {
        "the shape of the result": "A rotation changes no shape, whatever the layout.",
        "that lengths are kept": "It is a good test for a function that is no rotation. Is A one of these? The next cells say.",
        "that only the offset counts": "The best property there is, and chapter 6 said which functions have it: *every* rotation, in either layout.",
        "one rotated row, compared with known values": "The other three ask whether it is *a* rotation. Only values say *which* one.",
    },
    "one rotated row, compared with known values",
)

PATIENT_B = (
    "Patient B. The same words get other weights further on in the text. What is the fault?",
    {
        "angles of one layout, partners of the other": "Such a mix is no rotation at all; the lengths show it as well.",
        "the wrong layout": "That is a rotation: if a text moves as a whole, every score stays the same. Here they change when it moves by one token.",
        "a number format with too few bits for these positions": "Small whole numbers need few bits: at positions 1 to 16 hardly anything would be lost.",
        "the base": "Any base gives a rotation, and then scores depend on offsets alone.",
    },
    "angles of one layout, partners of the other",
)

PATIENT_C = (
    "Patient C. Half of each row rotates and half stays. Scores are a little off at offset 1 and far off from 10 on, with the speeds printed above. What is the fault?",
    {
        "the layout: partners half a head apart, and not neighbours": "The scores alone would allow it. But then the *partners* would be wrong and the speeds right.",
        "the frequencies: cut from the set for all features": "Pair 0 has the right speed, and all others are too fast: every second one of them is in the reference.",
        "positions counted from 1": "Then every offset is what it was, and no score changes.",
        "a number format with too few bits": "Rounding changes a speed by less than a percent. Here pair 1 is too fast by a third.",
    },
    "the frequencies: cut from the set for all features",
)

PATIENT_D = (
    "Patient D. The text in one call is right, and the same text token by token is not. What is the fault?",
    {
        "the layout": "Then the text in one call would be wrong as well.",
        "positions counted from 1": "Then both ways would be off by one.",
        "it counts the rows it is given": "In one call row 5 *is* position 5. Alone, every token is row 0.",
        "it changes the caller's array": "This would be a suspect for “only the second time”. But each call here gets a fresh copy.",
    },
    "it counts the rows it is given",
)

PATIENT_E = (
    "Patient E. From 256 on, some neighbours have the same position. What is the fault?",
    {
        "a table with too few rows, which stops at its end": "Then *everything* beyond its end would have one position. Here 5008 and 5009 are told apart, and 5000 and 5001 are not.",
        "positions kept in too few bits": "Eight bits hold every whole number up to 256; beyond, only every second one, then every fourth.",
        "the base": "Another base changes the scores from the first tokens on.",
        "positions taken modulo 256": "Then 256 would be 0 again, and its score with 257 would still be right.",
    },
    "positions kept in too few bits",
)

PATIENT_F = (
    "Patient F. It is right as long as no token is beyond 2047; from then on all tokens seem to be at one position. What is the fault?",
    {
        "positions kept in too few bits": "A good guess: eleven bits hold every whole number up to 2048. But then 2047 and 2048 would still be told apart (−4.47); and 2049 would become 2048, two before 2050: −3.70. Both rows print −3.34, which is offset 0.",
        "unfamiliar phases beyond the trained length, as in chapter 8": "That depends on training. Here there are no weights, and the scores themselves are wrong.",
        "the frequencies": "They would show at the first tokens.",
        "a table that ends, and an index that stops with it": "All positions further on get its last row.",
    },
    "a table that ends, and an index that stops with it",
)

PATIENT_G = (
    "Patient G. One text is right, but two together are both wrong. What is the fault?",
    {
        "the texts see each other, since nothing hides one from the other": "There is no attention here: each row is rotated by itself. What does the function need besides its content?",
        "the rows are given their positions in the wrong order": "With one text, every order of repeating is right.",
        "the layout": "Then one text alone would be wrong.",
        "it changes the caller's array": "Every call gets a copy of its own here.",
    },
    "the rows are given their positions in the wrong order",
)

PATIENT_H = (
    "Patient H. The first call is right. The second, with the same keys, is not. What is the fault?",
    {
        "it writes into the array it was given": "The second call rotates keys that have been rotated already.",
        "a table from the first call is used again": "It is a good suspect. But the second call has the *same* positions, so the old table would be right.",
        "it takes a row's number for its position": "Here row and position are the same number, in every call.",
        "randomness": "The run is the same each time you restart, and the keys themselves have changed.",
    },
    "it writes into the array it was given",
)

TWO_FAR = (
    "You may run one more test to tell patient E from patient F. Which one?",
    {
        "length": "Both are rotations wherever they were asked, so both keep lengths.",
        "the value at position 5,000": "Both fail there, for different reasons.",
        "the value at position 1,001": "F's table still holds it; E has rounded it to 1,000.",
        "a batch of two": "Neither cares how many texts there are.",
    },
    "the value at position 1,001",
)

PATIENT_I = (
    "Patient I. In one pass the last token favours near keys; decoded alone, it favours far ones. What is the fault?",
    {
        "the sign of the slopes": "Then the single pass would favour far keys as well.",
        "the slopes of the heads": "Other slopes would favour near keys more or less strongly, but still near ones.",
        "a single query is taken for the first token": "It is the *last* one: it comes after all keys in the cache.",
        "the softmax": "It got the bias printed above, and its weights follow from that.",
    },
    "a single query is taken for the first token",
)

PATIENT_J = (
    "Patient J. When all positions move alike, the output changes, and equal values do not come out as they went in. What is the fault?",
    {
        "keys are rotated, queries are not": "This would change the output as well. But equal values would come out as they went in.",
        "the mask": "It depends on the order of rows, not on their positions.",
        "the scale": "A wrong scale makes weights flatter or sharper, wherever the text begins; equal values would still come out.",
        "the values are rotated as well": "The weights may be right, but the values that they mix have been rotated.",
    },
    "the values are rotated as well",
)

PATIENT_K = (
    "Patient K. A whole prompt is right, and each token decoded alone comes out as the *first value*. What is the fault?",
    {
        "the causal mask, aligned top-left": "Row 0 of the mask may see key 0 alone, and the only query is row 0.",
        "the new token's position, which is counted from 0 again": "Then its weights would be different, but spread over all keys.",
        "keys rotated twice": "Then the weights would be wrong, but the output would still be a mixture.",
        "the cache is not filled": "The first value came out, and it came from the cache.",
    },
    "the causal mask, aligned top-left",
)

PATIENT_L = (
    "Patient L. One by one, the first two tokens are right, and then it drifts. What is the fault?",
    {
        "the causal mask, aligned top-left": "Then the second token would be wrong already: decoded alone, it could see key 0 only.",
        "the new token has position 0 in each of these calls": "Then the second token would be wrong already.",
        "cached keys rotated again at each call": "Key 0 is never rotated; key 1 is rotated once more with each further call. Old keys cached *unrotated*, as in chapter 7, look much the same here. Give all tokens one query and one key: those would then all get one weight, these do not.",
        "the values are rotated as well": "Then the prompt in one call would be wrong.",
    },
    "cached keys rotated again at each call",
)

FIRST_QUESTION = (
    "Your model, loaded from published weights, is right for one token and wrong for two. Lengths are kept, and only the offset counts. What next?",
    {
        "Rotate one known row and compare with values in both layouts": "It *is* a rotation, so ask which one.",
        "Train a little further, at a small learning rate, until it recovers": "The weights are good. It would take long and hide the fault.",
        "Switch to float64": "The two tokens are at 0 and 1. Every format can hold these.",
        "Rotate the values as well": "Values carry no position in rotary attention.",
    },
    "Rotate one known row and compare with values in both layouts",
)

ONE_TEXT = (
    "A test suite calls the rotary function with one text, from position 0, of 16 tokens. Which fault can it see?",
    {
        "angles of one layout, partners of the other": "The lengths of those 16 rows are enough.",
        "positions counted by rows": "From position 0 in one call, row and position are the same.",
        "a table of 2048 rows": "16 tokens are far from its end.",
        "positions that are mixed up between the texts of a batch": "With one text there is nothing to mix up.",
    },
    "angles of one layout, partners of the other",
)

TOLERANCE = (
    "Angles in float32 are compared with float64 ones up to position 100,000, with a tolerance of 1e-5. The test fails. What follows?",
    {
        "the function is broken": "At 100,000 a correct float32 angle is off by thousandths. How should the tolerance depend on the position?",
        "far positions should be left out": "Then bfloat16 positions and short tables would never be found.",
        "the tolerance should be 0.1 everywhere": "Then float16 passes at position 100, where it is off thousands of times more than float32.",
        "the tolerance should grow with the position": "The error is a fixed share of the angle.",
    },
    "the tolerance should grow with the position",
)

CLEAN_BILL = (
    "The clinic finds nothing, and names “half-split, counter-clockwise, base 10,000”. What do you know?",
    {
        "the model will work": "Only if its weights were made for this convention. Were they?",
        "the function is a rotation by position, in this convention, wherever it was asked": "Only you can say whether the convention is yours: ask for it by name.",
        "the function is right at every position, in every shape and in every number format": "It was called at some positions, like any test.",
        "the weights are half-split": "It has not seen any weights.",
    },
    "the function is a rotation by position, in this convention, wherever it was asked",
)
