"""The questions of chapter 6: (question, {option: feedback}, the right option), in the order of the notebook."""

TWO_PROGRAMS = (
    "Where do the two tables of scores agree, whatever the words are?",
    {
        "in the first entry only": "Nothing is rotated at position 0, so they do agree there. Are there other pairs of positions for which no rotation is left?",
        "in the whole first row": "Query 0 is not rotated, but keys 1 and 2 are, and each program pairs other features.",
        "on the whole diagonal": "Query and key at the same position are rotated alike, which leaves their dot product as it was.",
        "nowhere, except by accident": "Then the first entry would be an accident. Which rotation is left between a query and a key at the same position?",
    },
    "on the whole diagonal",
)

FIRST_TOKEN = (
    "A decoder mixes the angles of one layout with the partners of the other. Its text begins at position 100. The first token's "
    "output is exactly right, the second's is wrong. Why is the first right?",
    {
        "its score lies on the diagonal, so it is right": "This would be so for the wrong layout. With the mix it was −5.14 instead of −2.03 in the run above, and the output was right all the same.",
        "the softmax of its only score is 1, right or wrong": "With one key all the weight goes to one value, so a single token says nothing about the rotation.",
        "the first token of a text is not rotated yet": "It is at position 100, so each of its pairs has been rotated by 100 times its frequency.",
    },
    "the softmax of its only score is 1, right or wrong",
)

LONGER_VECTOR = (
    "Rotated at positions 0, 1 and 7, one vector has 1.00, 1.03 and 1.06 times its old length. What is the fault?",
    {
        "the wrong layout": "That is a rotation as well, so it keeps every length.",
        "angles and swap from different layouts": "Such a mix is no rotation in any layout. (One and the same factor at every position would be no fault: YaRN has one, chapter 8.)",
        "the wrong sign": "Rotating in the other direction keeps lengths.",
        "positions counted from 1": "Then each row is rotated by one position too much, and keeps its length.",
    },
    "angles and swap from different layouts",
)

EIGHT_HEADS = (
    "A model of PyTorch `Linear`s, 8 heads, is converted by reordering within heads. What is reordered?",
    {
        "the rows of W_Q and W_K, and their biases": "The rows of a Linear are its output features. W_V stays.",
        "the columns of W_Q and W_K, and their biases": "For x @ w, as in this course, it would be. A Linear stores the transpose.",
        "the rows of W_Q, W_K and W_V": "Values are not rotated. If they were reordered, they would no longer fit the output weights.",
        "the rows of W_Q": "A score multiplies feature by feature. So what about the keys?",
    },
    "the rows of W_Q and W_K, and their biases",
)

HALF_TURNS = (
    "In a model of the usual kind (base 10,000), the *first* 64 of 128 features rotate, half-split. Which partner has feature 10, and "
    "for which width are the frequencies made?",
    {
        "feature 74; made for 128, the first 32 taken": "Feature 74 is not among the first 64, so it does not rotate. In the encoding called proportional, features 0 to 31 and 64 to 95 rotate.",
        "feature 42; made for 64": "The partner is half of the rotated width further on, and the exponents are taken over the rotated width.",
        "feature 42; made for 128, the first 32 taken": "The partner is right. But with these frequencies the slowest pair would come round every 544 tokens.",
        "feature 11; made for 64": "Neighbours are pairs in the interleaved layout.",
    },
    "feature 42; made for 64",
)
