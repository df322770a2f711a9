"""The questions of chapter 11: (question, {option: feedback}, the right option), in the order of the notebook."""

WITH_A_MASK = (
    "Without a mask, ALiBi gives *dog* the same output in “dog bites man” and in “man bites dog”. Now a causal mask is added: each word sees itself and what came before. Does *dog* come out the same?",
    {
        "yes: the bias is the same as before": "The bias is. But which words can *dog* see in each of the two sentences?",
        "no: it now sees other words": "First, it sees itself alone; last, it sees all three.",
        "yes: a mask adds nothing to the scores": "It adds −∞ to some of them, and those weights become 0.",
    },
    "no: it now sees other words",
)

VALUES = (
    "The scores decide which words are read; the values are what is read from them. Which scheme changes the values themselves?",
    {
        "rotary": "It rotates queries and keys only.",
        "ALiBi": "It adds to the scores only.",
        "sinusoidal": "The vector is added before the projections, and so the values are made from it as well.",
        "T5": "It adds to the scores only.",
    },
    "sinusoidal",
)

WHAT_STAYS = (
    "All three words move on by 100 positions. Under which schemes does no output change?",
    {
        "rotary alone": "It is one of them. What do ALiBi and T5 look at?",
        "ALiBi, T5 and rotary": "Each of them knows the offset alone, and no offset has changed.",
        "all but the learned table": "The sinusoidal vector of position 110 is not that of position 10.",
        "none of them": "Does the offset between two of the words change?",
    },
    "ALiBi, T5 and rotary",
)

COST = (
    "In a pass over 512 tokens, written in NumPy, which scheme costs most time and memory beyond a head without positions?",
    {
        "a rotation": "It touches n · d numbers. What does a bias touch?",
        "sinusoids": "They are added once, to n · d numbers.",
        "a learned table": "It has many numbers to learn, but adding them is the cheapest of all.",
        "a bias": "It is a table of n · n numbers for each head. A fused kernel never writes that table down.",
    },
    "a bias",
)

NO_ROTATION = (
    "In some models every fourth layer has no positional encoding at all. How can such a layer still make use of order?",
    {
        "from its mask, and from what lower layers have written": "Lower layers have mixed order into the vectors that it reads.",
        "it cannot": "What do its inputs carry, if the three layers below it have rotated their queries and keys?",
        "its values are rotated": "No rotary layer rotates its values.",
        "the next layer adds it again": "That is too late for this layer's own attention.",
    },
    "from its mask, and from what lower layers have written",
)
