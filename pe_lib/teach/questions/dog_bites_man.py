"""The questions of chapter 1: (question, {option: feedback}, the right option), in the order of the notebook."""

OTHER_ORDER = (
    "Compared with the table of “dog bites man”, the 3 × 3 table of weights of “man bites dog” …",
    {
        "is the very same table": "Then row 0 would be the dog's row in both. Whose row is row 0 in “man bites dog”?",
        "has its rows reversed": "The rows, yes: the man now comes first. But whose columns are they, and in which order?",
        "has its rows and its columns reversed": "Rows and columns are named by the same words, so both move. The run below shows it.",
        "has nine new numbers": "Then the dog's interest in the man would depend on where the man stands. Did it, in the figure?",
    },
    "has its rows and its columns reversed",
)

RANDOM_HEAD = (
    "60 words, random matrices, a random order. Compared with the outputs before the shuffle, the outputs are …",
    {
        "the same vectors, in the new order": "So the run below says. The steps after it show why it must be so.",
        "the same only for words that stay where they were": "*Dog* did not stay where it was in the figure. Did its output change?",
        "other vectors: most neighbours have changed": "They have. But which number in the five lines says who stands next to whom?",
        "other vectors: only hand-made matrices do that": "Which property of our matrices would it need? Look at what the run says.",
    },
    "the same vectors, in the new order",
)

MEAN_OF_ROWS = (
    "Attention, then the mean over all rows. As a function of the sentence this is …",
    {
        "equivariant": "What could be reordered in the result? It is a single vector.",
        "invariant": "The rows arrive in another order, and a mean does not depend on the order.",
        "neither": "Reorder the words: which rows does the mean run over then? Are they new ones?",
    },
    "invariant",
)

CAUSAL_DOG = (
    "With the causal mask and our three matrices, is *dog* still the same vector in “dog bites man” and “man bites dog”?",
    {
        "yes: the mask contains no words": "True, it has none. But it says how many words a row may see. Compare rows 0 and 2.",
        "yes: its query is the same": "The query is. Which keys may it be compared with in row 0, and which in row 2?",
        "no: in one sentence it sees one word, in the other three": "So the run below says: row 0 sees only itself, row 2 sees all.",
        "no: the mask changes its query": "The mask is added to the scores; queries, keys and values never meet it.",
    },
    "no: in one sentence it sees one word, in the other three",
)

REORDERED_SCORES = (
    "A sentence is reordered by P. Its table of scores S becomes …",
    {
        "P S": "That moves the queries' rows. The keys have been reordered too.",
        "S Pᵀ": "That moves the keys' columns. The queries have been reordered too.",
        "P S Pᵀ": "Rows and columns are named by the same words, so both move.",
        "Pᵀ S P": "That is the table for the inverse reordering. A swap would not show the difference; a cycle does.",
    },
    "P S Pᵀ",
)

SAME_WORD_TWICE = (
    "“the dog saw the cat”: one head, no mask, no positions. The outputs of the two words “the” are …",
    {
        "equal": "They have the same query, and the same keys and values to look at, so the output is the same.",
        "different: their neighbours differ": "Being neighbours is a matter of position. Which number in the formula knows it?",
        "different: one comes first": "Which number in the formula says that one comes first?",
    },
    "equal",
)

NO_ENCODING = (
    "A left-to-right language model (causal mask) is built without any positional encoding. It …",
    {
        "cannot tell order at all": "Row i sees i + 1 words. So the rows differ, and they do so because of their positions alone.",
        "can tell order, since the mask breaks the symmetry": "Behind the mask the biting and the bitten dog had different outputs, without any position vector.",
        "shows in its last row how the earlier words were ordered, even with one layer": "In a single layer no row's output depends on the order of the words before it. Which earlier words there are is all that counts.",
    },
    "can tell order, since the mask breaks the symmetry",
)

LEARNS_ORDER = (
    "A layer without a mask and without positions is trained to say which of A and B came first. It reads the mean over its rows. How often will it be right, after enough training?",
    {
        "always: it learns the order by itself": "Which of its numbers would be another one if the words were reversed?",
        "half of the time, as by guessing": "For a sentence and its reversal it says the same, and is right about one of the two.",
        "more often the longer it is trained": "Training changes the weights. Is there any weight that makes a sentence and its reversal differ?",
    },
    "half of the time, as by guessing",
)

LONGER_KEY = (
    "A key is made twice as long, its direction kept. Its score with a given query …",
    {
        "stays: the direction is the same": "That is the cosine. The score is a dot product.",
        "doubles, and its weight rises": "It doubles. But if it was negative, twice as negative means less weight.",
        "doubles, and so its weight rises or falls with the sign": "A positive score grows, a negative one sinks, a score of 0 stays.",
    },
    "doubles, and so its weight rises or falls with the sign",
)
