"""The questions of chapter 3: (question, {option: feedback}, the right option), in the order of the notebook."""

SCORE_OF_SUMS = (
    "The words alone would score 4 · 3 = 12, and the positions alone 2 · 4 = 8. But the head gets the sums of words and positions. What is its score?",
    {
        "20: the two scores added": "It would be, if the scores were added. But the queries and keys are added, and then they are multiplied.",
        "42: more than the two together": "6 · 7 = 42. This chapter is about where the other 22 come from.",
        "12: the positions cancel": "Nothing here is subtracted. What is the query of the sum?",
    },
    "42: more than the two together",
)

READ_THE_PLACE = (
    "Is there one fixed 64 × 64 matrix D with (word + position) D = position, for all 320 sums?",
    {
        "yes, if all 36 vectors are independent": "Then a matrix can send the 20 words to zero and leave the 16 positions unchanged. There is room for 64 independent vectors.",
        "no: 320 equations per column, 64 unknowns": "Many of the 320 say the same thing. How many different words and positions are there?",
        "yes, for any 20 words": "Suppose two words differ exactly as two position vectors do. Then the first word at one place can equal the second word at the other.",
    },
    "yes, if all 36 vectors are independent",
)

TRANSPOSED_HEAD = (
    "W_Q is transposed, the gain is 20, and there is a causal mask. To which place does the word at place 5 give most of its weight?",
    {
        "place 4, the previous one": "Its query is PE(6). Of the keys 0 to 5, which encoding is nearest to PE(6)?",
        "place 6, the next one": "It aims there. But the mask gives place 6 the score −∞.",
        "place 5, itself": "Of the places that it may look at, this is the nearest to 6. The result looks like a head that attends to itself, and not like a bug.",
        "nothing in particular": "It aims as sharply as before. Which key comes nearest to the target, when the target itself is hidden?",
    },
    "place 5, itself",
)

TWICE_AS_LONG = (
    "All position vectors are made twice as long, and there is no layer normalisation. How does position–position change?",
    {
        "it doubles": "That holds for the mixed terms, where a position vector enters once.",
        "it becomes four times as large": "A position vector enters it twice, once through the query and once through the key.",
        "it does not: the softmax normalises": "The weights sum to 1 as before. But the term is computed before the softmax.",
    },
    "it becomes four times as large",
)

OTHER_WORDS = (
    "The words of a sentence are replaced by other words. The positions stay, and there is no layer normalisation. Which of the four terms is the same as before?",
    {
        "none: everything is mixed": "In the vector they are mixed. But in the score each term stands by itself.",
        "position–content": "Its query's part stays, but its key's part is a word.",
        "both mixed terms": "Each of them has a word in it.",
        "position–position": "It is one table for all sentences. Layer normalisation would change that, because it divides each position by a number that depends on the word.",
    },
    "position–position",
)

NOISE = (
    "“Adding positions adds noise to the words.” What would you write instead?",
    {
        "it mixes the two; some heads mind and some do not": "Entangled is the word for it, not noisy.",
        "it is right: the vectors are distorted": "They are changed, but by one known vector for each position. If words and positions share no direction, a matrix can undo it: you have seen one.",
        "it is harmless, because the positions are small": "That depends on the words' size (chapter 2), and after layer normalisation on each word.",
    },
    "it mixes the two; some heads mind and some do not",
)

CONCATENATED = (
    "Word and position are concatenated, and one W_Q and one W_K read both. What becomes of the four terms?",
    {
        "the mixed terms vanish": "The query is still a sum, the word's part plus the position's part, in the same features. So is the key.",
        "two of them merge": "Multiply out (xa + pb) · (xa′ + pb′).",
        "all stay, with four blocks": "W_Q W_Kᵀ has four blocks, which need not be equal. Adding makes them equal; dividing the head's features as well makes two of them zero.",
    },
    "all stay, with four blocks",
)
