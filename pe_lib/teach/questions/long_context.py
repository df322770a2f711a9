"""The questions of chapter 8: (question, {option: feedback}, the right option), in the order of the notebook."""

TWICE_AS_FAR = (
    "The lesson is learnt to two hundredths of a point. What will the head say about offset 8192, twice as far as it ever looked?",
    {
        "about −8.2: the line goes on": "That is what we meant. What has the fit ever asked of its cosines at these offsets?",
        "about −4.1: it stays at its lowest": "It would, if a cosine could stop. The slow ones go on turning.",
        "about −0.3, as for a token near by": "Yes. Out there its waves no longer add up to a line.",
        "it raises an error": "A table would. A rotation is defined everywhere.",
    },
    "about −0.3, as for a token near by",
)

FAST_PAIR = (
    "A pair turns 2π + 0.3 radian a token. At whole positions it looks like a pair that turns …",
    {
        "0.3 radian": "Right: a whole turn between two looks is invisible, to sine and cosine alike.",
        "2π − 0.3 radian": "That one turns backwards by 0.3. Which way does ours seem to go?",
        "twice as fast": "What does a camera see of a wheel that makes one whole turn between two frames?",
    },
    "0.3 radian",
)

UNSEEN_ANGLES = (
    "128 features, base 10,000, trained on 4,096 tokens, asked for twice as many. Which pairs go to angles more than 3 degrees from all they have shown?",
    {
        "the fast ones: they turn the most": "They have been round hundreds of times. What is left for them to see?",
        "the slow ones, with wavelengths above the trained length": "Right. One by one the fast ones meet nothing new. All together they still do: combinations of angles.",
        "all of them": "Take the fastest: in 4,096 tokens it went round about 652 times. How wide is the widest gap between its angles?",
    },
    "the slow ones, with wavelengths above the trained length",
)

CLOSEST_TOKENS = (
    "Which rule brings two neighbouring tokens closest together, at the same factor?",
    {
        "NTK-aware": "Its fastest pair keeps its frequency, and that one moves most between neighbours.",
        "YaRN": "Pairs with over 32 turns are left alone, and they are what tells neighbours apart.",
        "position interpolation": "Right: it slows every pair, the fastest too.",
    },
    "position interpolation",
)

ATTENTION_FACTOR = (
    "YaRN's attention factor at 8 is 1.21. By how much do the scores grow?",
    {
        "1.21": "It multiplies the rotated q *and* the rotated k. What does it do to their product?",
        "1.46": "Right: 1.2079 squared.",
        "not at all: the softmax takes it out": "The softmax ignores a constant that is *added*. A factor sharpens it.",
    },
    "1.46",
)
