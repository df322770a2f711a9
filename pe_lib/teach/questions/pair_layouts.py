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
    "A decoder mixes the angles of one layout with the partners of the other. Its text begins at position 100. The first token's "
    "output is exactly right, the second's is wrong. Why is the first right?",
    {
        "its score lies on the diagonal, so it is right": "For the wrong layout it would be. Mixed, it was −5.14 instead of −2.03 in the run above, and the output was right all the same.",
        "the softmax of its only score is 1, right or wrong": "Yes. With one key all the weight goes to one value, so a single token says nothing about the rotation.",
        "the first token of a text has not been turned yet": "It stands at position 100, so each of its pairs has turned by 100 times its frequency.",
    },
    "the softmax of its only score is 1, right or wrong",
)

LONGER_VECTOR = (
    "Turned at positions 0, 1 and 7, one vector has 1.00, 1.03 and 1.06 times its old length. The fault is …",
    {
        "the wrong layout": "That is a rotation too: it keeps every length.",
        "angles and swap from different layouts": "Right: such a mix is no rotation in any layout. (One and the same factor at every position would be no fault: YaRN has one, chapter 8.)",
        "the wrong sign": "Turning the other way keeps lengths.",
        "positions counted from 1": "Each row is then turned by one place too much, and keeps its length.",
    },
    "angles and swap from different layouts",
)

EIGHT_HEADS = (
    "A model of PyTorch `Linear`s, 8 heads, is converted by reordering within heads. What is reordered?",
    {
        "the rows of W_Q and W_K, and their biases": "Right: a Linear's rows are its output features. W_V stays.",
        "the columns of W_Q and W_K, and their biases": "In this course's x @ w, yes. A Linear stores the transpose.",
        "the rows of W_Q, W_K and W_V": "Values are not turned. Reordered, they would no longer fit the output weights.",
        "the rows of W_Q": "A score multiplies feature by feature. What of the keys?",
    },
    "the rows of W_Q and W_K, and their biases",
)

HALF_TURNS = (
    "In a model of the usual kind (base 10,000), the *first* 64 of 128 features turn, half-split. The partner of feature 10 and the "
    "frequencies are …",
    {
        "feature 74; made for 128, the first 32 taken": "Feature 74 is not among the first 64, so it does not turn. In the encoding called proportional, features 0 to 31 and 64 to 95 turn.",
        "feature 42; made for 64": "Right: half of the turning width on, exponents over the turning width.",
        "feature 42; made for 128, the first 32 taken": "The partner is right. Then the slowest pair would come round every 544 tokens.",
        "feature 11; made for 64": "Neighbours: that is interleaved.",
    },
    "feature 42; made for 64",
)
