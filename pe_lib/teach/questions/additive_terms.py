"""The questions of chapter 3: (question, {option: feedback}, the right option), in the order of the notebook."""

SCORE_OF_SUMS = (
    "Words alone would score 4 · 3 = 12, places alone 2 · 4 = 8. The head gets the sums. Its score is …",
    {
        "20: the words’ score plus the places’ score": "It would be, if scores were added. But queries and keys are, and then they are multiplied.",
        "42: more than both together": "Yes. Where the other 22 come from is what this chapter is about.",
        "12: the places cancel": "Nothing here is subtracted. What is the query of the sum?",
    },
    "42: more than both together",
)

READ_THE_PLACE = (
    "One fixed 64 × 64 matrix D with (word + place) D = place, for all 320 sums …",
    {
        "exists, if words and places are 36 independent directions": "Yes: send the 20 to zero and keep the 16. There is room for 64.",
        "cannot exist: 320 equations a column, 64 unknowns": "Many of the 320 say the same. How many different words and places are there to satisfy?",
        "exists for any 20 words": "Suppose two words differed by the difference of two places: what would the first be at one of them, the second at the other?",
    },
    "exists, if words and places are 36 independent directions",
)

TRANSPOSED_HEAD = (
    "W_Q transposed, gain 20, causal mask. The word at place 5 gives most of its weight to …",
    {
        "place 4, the previous one": "Its query is PE(6). Of the keys 0 to 5, which encoding is nearest to PE(6)?",
        "place 6, the next one": "That is where it aims. But the mask gives place 6 the score −∞.",
        "place 5, itself": "Yes. The nearest place to 6 that it may look at. It looks like a head with a habit, not like a bug.",
        "nothing in particular": "It aims as sharply as before. Where does the aim go, when the target is hidden?",
    },
    "place 5, itself",
)

TWICE_AS_LONG = (
    "All position vectors are made twice as long; there is no layer normalisation. Position–position becomes …",
    {
        "twice as large": "That holds for the mixed terms, where a position vector enters once.",
        "four times as large": "Right: it enters once through the query and once through the key.",
        "no larger: the softmax normalises": "The weights sum to 1 as before. But the term is computed before the softmax.",
    },
    "four times as large",
)

OTHER_WORDS = (
    "The words of a sentence are replaced by others; the places stay, and there is no layer normalisation. Which of the four terms is the same as before?",
    {
        "none: everything is mixed": "Mixed in the vector, yes. But in the score each term stands by itself.",
        "position–content": "Its query part stays. Its key part is a word.",
        "both mixed terms": "Each of them has a word in it.",
        "position–position": "Right: it is one table for all sentences. Layer normalisation would change that, because it divides each place by a number that knows the word.",
    },
    "position–position",
)

NOISE = (
    "“Adding positions adds noise to the words.” What would you write instead?",
    {
        "it mixes word and place before attention; whether that disturbs depends on the head": "Right. Entangled, not noisy.",
        "it is right: the vectors are distorted": "They are changed, by one known vector for each place. Where the spans of words and places leave each other room, a matrix undoes it: you have seen one.",
        "it is harmless, because the positions are small": "That depends on the words' size (chapter 2), and after layer normalisation on each word.",
    },
    "it mixes word and place before attention; whether that disturbs depends on the head",
)

CONCATENATED = (
    "Word and place are concatenated, and one W_Q and W_K read both. Then …",
    {
        "the mixed terms are gone": "The query is still a sum, word part plus place part, in the same features. So is the key.",
        "there are only two terms": "Multiply out (xa + pb) · (xa′ + pb′).",
        "there are four terms, with four blocks of W_Q W_Kᵀ that need not be equal": "Right. Adding ties them to one block; separating the head's features empties two.",
    },
    "there are four terms, with four blocks of W_Q W_Kᵀ that need not be equal",
)
