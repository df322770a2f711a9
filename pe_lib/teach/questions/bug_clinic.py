"""The questions of chapter 12: (question, {option: feedback}, the right option), in the order of the notebook."""

WHICH_TEST = (
    "The weights were trained with interleaved pairs. Which test of A, by itself, would have caught the fault?",
    {
        "the shape of the result": "Turning changes no shape, whatever the layout.",
        "that lengths are kept": "A good test for a function that is no rotation. Is A one of those? The run below says.",
        "that only the gap counts": "The best property there is, and chapter 6 said who has it: *every* rotation, in either layout.",
        "one turned row, compared with known values": "Right. The three others ask whether it is *a* rotation. Only values say *which*.",
    },
    "one turned row, compared with known values",
)

PATIENT_B = (
    "Patient B. The same words, further on in the text, get other weights. The fault is …",
    {
        "angles of one layout, partners of the other": "Right. Such a mix is no rotation at all; lengths will say so as well.",
        "the wrong layout": "That is a rotation: when a text moves as a whole, every score stays. Here they move already by one token.",
        "a number format with too few bits for these positions": "Small whole numbers need few bits: at positions 1 to 16 next to nothing would be lost.",
        "the base": "Any base makes a rotation, and a rotation knows gaps alone.",
    },
    "angles of one layout, partners of the other",
)

PATIENT_C = (
    "Patient C. Half of each row turns, half rests. Scores are a little off at gap 1, far off from 10 on; the speeds read as above. The fault is …",
    {
        "the layout: partners half a head apart, and not neighbours": "Possible by the scores alone. But then the *partners* would be wrong and the speeds right.",
        "the frequencies: cut from the set for all features": "Right. Pair 0 has the speed it should have, all others are too fast: every second one of them stands in the reference.",
        "positions counted from 1": "Then every gap is what it was, and no score changes.",
        "a number format with too few bits": "Rounding changes a speed by less than a percent. Here pair 1 is too fast by a third.",
    },
    "the frequencies: cut from the set for all features",
)

PATIENT_D = (
    "Patient D. The text in one call is right, the same text token by token is not. The fault is …",
    {
        "the layout": "Then the text in one call would be wrong as well.",
        "positions counted from 1": "Then both ways would be off by one alike.",
        "it counts the rows it is given": "Right. In one call row 5 *is* position 5. Alone, every token is row 0.",
        "it changes the caller's array": "A good suspect for “only the second time”. But each call here gets a fresh copy.",
    },
    "it counts the rows it is given",
)

PATIENT_E = (
    "Patient E. From 256 on, some neighbours stand at one place. The fault is …",
    {
        "a table with too few rows, which stops at its end": "Then *everything* beyond its end stands at one place. Here 5008 and 5009 are told apart, and 5000 and 5001 are not.",
        "positions kept in too few bits": "Right. Eight bits hold every whole number up to 256; beyond, only every second one, then every fourth.",
        "the base": "A base changes all gaps from the first token on.",
        "positions taken modulo 256": "Then 256 would be 0 again, and its score with 257 would still be right.",
    },
    "positions kept in too few bits",
)

PATIENT_F = (
    "Patient F. Right as long as no token stands beyond 2047; from then on no gap is seen. The fault is …",
    {
        "positions kept in too few bits": "A good guess: eleven bits hold every whole number up to 2048. But then 2047 and 2048 would still be told apart (−4.47); and 2049 would stand at 2048, two before 2050: −3.70. Both rows read −3.34, gap 0.",
        "unfamiliar phases beyond the trained length, as in chapter 8": "That is a matter of training. Here there are no weights: the scores themselves are wrong.",
        "the frequencies": "Those would show at the first tokens.",
        "a table that ends, and an index that stops with it": "Right. All that is further on gets its last row.",
    },
    "a table that ends, and an index that stops with it",
)

PATIENT_G = (
    "Patient G. One text is right, two together are both wrong. The fault is …",
    {
        "the texts see each other, since nothing hides one from the other": "No attention is run here: each row is turned by itself. What does a row need to know besides its content?",
        "the rows are given their positions in the wrong order": "Right. With one text any order of repeating is the right one.",
        "the layout": "Then one text alone would be wrong.",
        "it changes the caller's array": "Every call gets a copy of its own here.",
    },
    "the rows are given their positions in the wrong order",
)

PATIENT_H = (
    "Patient H. The first call is right. The second, with the same keys, is not. The fault is …",
    {
        "it writes into the array it was given": "Right. The second call turns keys that have been turned already.",
        "a table from the first call is used again": "A good suspect. But the second call has the *same* positions: the old table would serve.",
        "it takes a row's number for its position": "Here row and position are the same number, in every call.",
        "randomness": "The run is the same each time you restart. And the keys themselves have changed.",
    },
    "it writes into the array it was given",
)

TWO_FAR = (
    "You may run one more test to tell patient E from patient F. Which one?",
    {
        "length": "Both are rotations at every position they know: both keep lengths.",
        "the value at position 5,000": "Both fail there, each for its own reason.",
        "the value at position 1,001": "Right. F's table still holds it; E has rounded it to 1,000.",
        "a batch of two": "Neither cares how many texts there are.",
    },
    "the value at position 1,001",
)

PATIENT_I = (
    "Patient I. In one pass the last token favours near keys; decoded alone, it favours far ones. The fault is …",
    {
        "the sign of the slopes": "Then the pass in one go would be upside down too.",
        "the slopes of the heads": "Other slopes would favour near keys more or less, but near ones all the same.",
        "a single query is taken for the first token": "Right. It is the *last* one: it stands behind all keys in the cache.",
        "the softmax": "It was given the bias printed above, and did what it says.",
    },
    "a single query is taken for the first token",
)

PATIENT_J = (
    "Patient J. All positions move alike, and the output moves; equal values do not come out as they went in. The fault is …",
    {
        "keys are turned, queries are not": "It would move the output as well. But then equal values would come out as they went in.",
        "the mask": "It asks for the order of rows, not for their positions.",
        "the scale": "A wrong scale makes weights flatter or sharper, wherever the text stands; equal values would still come out.",
        "the values are turned as well": "Right. The weights may be perfect: what they mix has been turned.",
    },
    "the values are turned as well",
)

PATIENT_K = (
    "Patient K. A whole prompt is right; each token decoded alone comes out as the *first value*. The fault is …",
    {
        "the causal mask, aligned top-left": "Right. Row 0 of the mask may see key 0 alone, and the only query is row 0.",
        "the new token's position, which is counted from 0 again": "Then its weights would be spread otherwise, but over all keys.",
        "keys turned twice": "Then the weights would be wrong, and yet be a mixture.",
        "the cache is not filled": "The first value is there, and it came from the cache.",
    },
    "the causal mask, aligned top-left",
)

PATIENT_L = (
    "Patient L. One by one, the first two tokens are right, and then it drifts. The fault is …",
    {
        "the causal mask, aligned top-left": "Then the second token would be wrong already: decoded alone, it could see key 0 only.",
        "the new token stands at position 0 in each of these calls": "Then the second token would be wrong already.",
        "cached keys turned again at each call": "Right. Key 0 is never turned at all; key 1 is turned once more with each further call. Old keys cached *unturned*, as in chapter 7, look much the same here. Give all tokens one query and one key: those would then all get one weight, these do not.",
        "the values are turned as well": "Then the prompt in one call would be wrong.",
    },
    "cached keys turned again at each call",
)

FIRST_QUESTION = (
    "Your model, loaded from published weights, is right for one token and wrong for two. Lengths are kept, only the gap counts. What next?",
    {
        "Turn one known row and compare with values in both layouts": "Right: it *is* a rotation, so ask which one.",
        "Train a little further, at a small learning rate, until it recovers": "The weights are good. It would take long, and hide the fault.",
        "Switch to float64": "Two tokens stand at 0 and 1. No format loses those.",
        "Turn the values as well": "Values carry no position in rotary attention.",
    },
    "Turn one known row and compare with values in both layouts",
)

ONE_TEXT = (
    "A test suite calls the rotary function with one text, from position 0, of 16 tokens. Which fault can it see?",
    {
        "angles of one layout, partners of the other": "Right: the lengths of those 16 rows are enough.",
        "positions counted by rows": "From position 0 in one call, row and position are the same.",
        "a table of 2048 rows": "16 tokens are far from its end.",
        "positions that are mixed up between the texts of a batch": "With one text there is nothing to mix up.",
    },
    "angles of one layout, partners of the other",
)

TOLERANCE = (
    "Angles in float32 are compared with float64 ones up to position 100,000, with a tolerance of 1e-5. The test fails. So …",
    {
        "the function is broken": "At 100,000 an honest float32 angle is off by thousandths. How should the tolerance depend on the position?",
        "far positions should be left out": "Then bfloat16 positions and short tables would never be found.",
        "the tolerance should be 0.1 everywhere": "Then float16 passes at position 100, where it is off thousands of times more than float32.",
        "the tolerance should grow with the position": "Right: the error is a fixed share of the angle.",
    },
    "the tolerance should grow with the position",
)

CLEAN_BILL = (
    "The clinic finds nothing, and names “half-split, counter-clockwise, base 10,000”. What do you know?",
    {
        "the model will work": "If its weights were made so. Were they?",
        "the function is a rotation by position, in this convention, wherever it was asked": "Right. Whether the convention is yours, only you can say: ask for it by name.",
        "the function is right at every position, in every shape and in every number format": "It was called at some positions, as any test is.",
        "the weights are half-split": "It has not seen any weights.",
    },
    "the function is a rotation by position, in this convention, wherever it was asked",
)
