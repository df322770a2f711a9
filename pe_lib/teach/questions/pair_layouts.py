"""The questions of chapter 6: (question, {option: feedback}, the right option), in the order of the notebook."""

TWO_PROGRAMS = (
    "The two tables of scores agree, for all words, …",
    {
        "in the first entry only": "At position 0 nothing is turned: a good reason. Are there other places where no turn is left?",
        "in the whole first row": "Query 0 is not turned, but keys 1 and 2 are, and each program turns other features together.",
        "on the whole diagonal": "So the run below says. Query and key at the same place are turned alike, and that leaves their product as it was.",
        "nowhere, but by accident": "Then the first entry would be an accident. Which turn is left between a query and a key at the same place?",
    },
    "on the whole diagonal",
)

FIRST_TOKEN = (
    "You load half-split weights into an interleaved program. The first token's output agrees with the reference, the second's does not. Why the first?",
    {
        "its position is small, so the error is still small": "At position 1 the fast pair has turned by a whole radian. What is special about a token that sees itself alone?",
        "its only score lies on the diagonal": "Right: query and key at one place are turned alike, whatever the layout.",
        "the first token is not turned by rotary code": "True of position 0. But it would be right at position 100 as well. Why?",
    },
    "its only score lies on the diagonal",
)

LONGER_VECTOR = (
    "A turned vector has 1.04 times its old length. The fault is …",
    {
        "the wrong layout": "That is a rotation too: it keeps every length.",
        "angles and swap from different layouts": "Right: such a mix is no rotation in any layout.",
        "the wrong sign": "Turning the other way keeps lengths.",
        "positions counted from 1": "Each row is then turned by one place too much, and keeps its length.",
    },
    "angles and swap from different layouts",
)

EIGHT_HEADS = (
    "A PyTorch model of 8 heads is converted by reordering within heads. What is reordered?",
    {
        "the rows of W_Q and W_K, and their biases": "Right: a Linear's rows are its output features. W_V stays.",
        "the columns of W_Q and W_K, and their biases": "In this course's x @ w, yes. A Linear stores the transpose.",
        "the rows of W_Q, W_K and W_V": "Values are not turned. Reordered, they would no longer fit the output weights.",
        "the rows of W_Q": "A score multiplies feature by feature. What of the keys?",
    },
    "the rows of W_Q and W_K, and their biases",
)

HALF_TURNS = (
    "128 features, of which 64 turn, half-split. The partner of feature 10 and the frequencies are …",
    {
        "feature 74; made for 128, the first 32 taken": "That is the encoding called proportional, or a bug. Both parts should follow the turning width.",
        "feature 42; made for 64": "Right: half of the turning width on, exponents over the turning width.",
        "feature 42; made for 128, the first 32 taken": "The partner is right. Then the slowest pair would come round every 544 tokens.",
        "feature 11; made for 64": "Neighbours: that is interleaved.",
    },
    "feature 42; made for 64",
)
