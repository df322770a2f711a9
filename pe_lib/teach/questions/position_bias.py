"""The questions of chapter 4: (question, {option: feedback}, the right option), in the order of the notebook."""

NEAR_AND_FAR = (
    "The distance has been subtracted from each score. How many times the weight of the far *the* does *cat* now give to the near one?",
    {
        "e³ ≈ 20 times": "The ratio of two weights is the exponential of the difference of their scores, here 4 − 1.",
        "3 times": "3 is the difference of the two scores. What does the softmax do to a difference?",
        "4 times": "4 is the ratio of the two distances. For the softmax only differences of scores count, not their ratios.",
        "it depends on the other words": "They change both weights by the same factor. What does this do to the ratio?",
    },
    "e³ ≈ 20 times",
)

SAME_BIAS = (
    "The bias takes 3.5 from the score of the key 7 back, in both contents. How many percentage points does that key's *weight* lose?",
    {
        "as many in both": "The softmax divides by a sum over all keys of the row. Are the two sums equal?",
        "more where that key holds no match": "It had a weight of 0.07 there. It cannot lose more than 7 points.",
        "more where that key holds the match": "43 against 6: it had more to lose, 0.51 of the weight against 0.07. (As a share of what it had, it loses a little less: 84 % against 89 %.)",
    },
    "more where that key holds the match",
)

ONE_HEAD_BOTH = (
    "There is no mask. You may choose the queries of “(” and “)”, the key of x, and every b. Can one head do both?",
    {
        "yes: the queries differ": "They do, and each query gives the left x and the right x the same score. What is left to choose between them?",
        "yes, if b(+1) is large enough": "Then “)” looks right as well, because the bias is the same for both brackets.",
        "no": "The next cell finds the equation that makes it impossible.",
    },
    "no",
)

SIXTEEN_SLOPES = (
    "In ALiBi with 16 heads, which range do the slopes have?",
    {
        "1/2 to 1/256": "That is the range for 8 heads. Put h = 1 and H = 16 into 2^(−8h/H).",
        "1/√2 to 1/256": "2^(−8/16) = 2^−0.5, and the last one is 2^−8 for every power of two.",
        "1 to 1/256": "h = 0 would give 1, but h starts at 1.",
    },
    "1/√2 to 1/256",
)

FAR_BUCKETS = (
    "T5 in a decoder has 32 buckets and the maximal distance 128. Which numbers do the keys 120 and 5,000 tokens back get?",
    {
        "two different ones: 120 is below 128": "The last bucket begins at 113 already.",
        "the same number": "Both lie in the last bucket, which never ends.",
        "the second gets none: it is too far": "The last bucket holds everything that is farther away.",
    },
    "the same number",
)

ONE_BIAS_TWO_WORDS = (
    "One head has a bias b(j − i) and no mask, and the same word stands on both sides of the query. Why can A not look left while B looks right?",
    {
        "the bias is too weak": "Double it: then A and B both lean further, and the same way.",
        "the bias is symmetric": "It need not be. b(−1) and b(+1) may differ, but A and B get the same two numbers.",
        "the bias adds the same for A and for B": "And content gives left and right the same score, so nothing is left to tell A from B.",
    },
    "the bias adds the same for A and for B",
)

ROW_CONSTANT = (
    "On paper, you add slope · i to every score of query i, for every key j. What happens to the weights?",
    {
        "they do not change": "A constant for the row cancels in the softmax, with a mask and without.",
        "they favour near keys": "The same number is added for every key of the row. Which key would it favour?",
        "they change, but only without a mask": "The constant cancels in every row by itself. Does a mask matter?",
    },
    "they do not change",
)
