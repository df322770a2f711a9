"""The questions of chapter 9: (question, {option: feedback}, the right option), in the order of the notebook."""

LOOKS_WHERE = (
    "A trained head finds the token *three* back. Now all positions are divided by 4, and nothing is trained again. How far back will the head look?",
    {
        "3 tokens": "Between those two tokens there is now a quarter of the angle. Does the head know tokens, or angles?",
        "10 to 12 tokens": "It looks for an angle, and this angle is now about four times as many tokens away.",
        "less than 1 token, so at itself": "The other way round: each token is now a smaller angle. How many of them make the angle of three?",
        "everywhere alike": "It would if nothing were rotated. Here all angles are still there, only further apart.",
    },
    "10 to 12 tokens",
)

FALLING_LOSS = (
    "A model's mean loss falls from 2.29 nats at 64 tokens to 2.16 at 1,024. What follows?",
    {
        "it works better on long texts": "That is one possible reason. Is there one that has nothing to do with the model?",
        "it recalls more from long texts": "T5's bias does just this, while its retrieval falls from 100 % to 60 %.",
        "its training never stopped at 64": "Its weights have seen no longer text. Look at what the mean is taken over.",
        "by itself nothing": "A longer text may hold a smaller share of what is hard to predict. Compare like with like.",
    },
    "by itself nothing",
)

BETA = (
    "YaRN leaves pairs alone that make β turns or more within the trained length, and the paper takes β = 32. Why is that a trap at 64 tokens?",
    {
        "no pair makes so many turns there": "The fastest makes 10. So all pairs are slowed down, and order is lost nearly as in plain interpolation.",
        "the rule needs a base of 500,000": "The base decides about the slow pairs. Ask how far the fastest pair, 1 radian per token, gets in 64 tokens.",
        "the attention factor grows with β": "It depends on the stretching factor alone.",
        "32 is more than half the length": "It is a number of turns, not of tokens.",
    },
    "no pair makes so many turns there",
)

FAR_OR_NEAR = (
    "Which values does T5's bias lose first when the text is 16 times too long?",
    {
        "those told farthest back": "It is what one expects of a bias. Look at its bars again.",
        "those told in the last quarters": "The head that ties a value to its key shares its weight among more and more tokens.",
        "all at the same time": "97 % against 37 %: there is hardly a larger difference in this chapter.",
        "none, as its loss says": "Its loss says nothing about values: there are four among 1,024 tokens.",
    },
    "those told in the last quarters",
)

ONE_SEED = (
    "One model keeps 99 % of its retrieval with a fix, and another one 63 % without. Each was trained once. What do you need before you say that the fix works?",
    {
        "a longer text": "At a single length the comparison can be fair or unfair. What else could have made the difference?",
        "a larger model": "That is another question: whether it still holds there.",
        "the same loss for both": "The fix is applied to trained weights: the loss at 64 tokens is the same already.",
        "the same models with and without it, more seeds": "Seeds differ by up to 40 points here, before any fix.",
    },
    "the same models with and without it, more seeds",
)
