"""The questions of chapter 4: (question, {option: feedback}, the right option), in the order of the notebook."""

NEAR_AND_FAR = (
    "After subtracting the distance, the cat gives the near *the* … the weight it gives the far one.",
    {
        "e³ ≈ 20 times": "Yes: the ratio of two weights is the exponential of the difference of their scores, here 4 − 1.",
        "3 times": "3 is the difference of the two scores. What does the softmax do to a difference?",
        "4 times": "4 is the ratio of the two distances. The softmax knows no ratios of scores, only differences.",
        "it depends on the other words": "They change both weights, but by the same factor. Does a ratio notice?",
    },
    "e³ ≈ 20 times",
)

SAME_BIAS = (
    "The bias takes 3.5 from the score of the key 7 back, in both contents. How many percentage points does that key's *weight* lose?",
    {
        "as many in both": "The softmax divides by a sum in which all scores of the row meet. Are the two sums alike?",
        "more where that key holds no match": "It had a weight of 0.07 there. It cannot lose more than 7 points.",
        "more where that key holds the match": "43 against 6: it had more to lose, 0.51 of the weight against 0.07. (As a share of what it had, it loses a little less: 84 % against 89 %.)",
    },
    "more where that key holds the match",
)

ONE_HEAD_BOTH = (
    "There is no mask. You may choose the queries of “(” and “)”, the key of x, and every b. One head is to do both …",
    {
        "can be done: the queries differ": "They do, and each query gives the left x and the right x the same score. What is left to choose between them?",
        "can be done, with a large enough b(+1)": "Then “)” looks right as well. The bias does not know who is asking.",
        "cannot be done": "Right. The next cell finds the one equation that stands in the way.",
    },
    "cannot be done",
)

SIXTEEN_SLOPES = (
    "ALiBi with 16 heads: the slopes run from …",
    {
        "1/2 to 1/256": "That is 8 heads. Put h = 1 and H = 16 into 2^(−8h/H).",
        "1/√2 to 1/256": "2^(−8/16) = 2^−0.5, and the last one is 2^−8 for every power of two.",
        "1 to 1/256": "h = 0 would give 1, but h starts at 1.",
    },
    "1/√2 to 1/256",
)

FAR_BUCKETS = (
    "T5 in a decoder, 32 buckets, maximal distance 128. The keys 120 and 5000 tokens back …",
    {
        "have different numbers: 120 is below 128": "The last bucket begins at 113 already.",
        "share one number": "Both lie in the last bucket, which never ends.",
        "the second has none: it is too far": "The last bucket takes all that is left.",
    },
    "share one number",
)

ONE_BIAS_TWO_WORDS = (
    "One head with a bias b(j − i), no mask, the same word on both sides of the query. “A looks left, B looks right” fails because …",
    {
        "the bias is too weak": "Double it: both A and B lean further, the same way.",
        "the bias is symmetric": "It need not be. b(−1) and b(+1) are free; it is A and B that get the same ones.",
        "the bias adds the same for A and for B": "And content gives left and right the same score, so nothing is left to tell A from B.",
    },
    "the bias adds the same for A and for B",
)

ROW_CONSTANT = (
    "On paper, you add slope · i to every score of query i (nothing about j). The weights …",
    {
        "do not change at all": "A constant for the row cancels in the softmax, with a mask and without.",
        "favour near keys": "The same number is added for every key of the row. Whom would it favour?",
        "change, but only without a mask": "The constant cancels in every row by itself. Does a mask matter?",
    },
    "do not change at all",
)
