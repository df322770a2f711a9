"""The questions of chapter 8: (question, {option: feedback}, the right option), in the order of the notebook."""

TWICE_AS_FAR = (
    "The head has learned the lesson to two hundredths of a point. What will it say about offset 8192, twice as far as it has ever looked?",
    {
        "about −8.2: the line goes on": "That is what we wanted. But nothing in the fit depended on these offsets.",
        "about −4.1: it stays at its lowest": "It would, if the cosines stopped there. But the slow pairs go on rotating.",
        "about −0.3, as for a near token": "Out there its waves no longer add up to a line.",
        "it raises an error": "A table would. A rotation is defined everywhere.",
    },
    "about −0.3, as for a near token",
)

FAST_PAIR = (
    "A pair rotates by 2π + 0.3 radian per token. Which other pair looks the same at whole positions?",
    {
        "one with 0.3 radian": "A whole turn between two tokens changes neither the sine nor the cosine.",
        "one with 2π − 0.3 radian": "That one seems to rotate backwards by 0.3. Which way does ours seem to rotate?",
        "one that is twice as fast": "What does a film show of a wheel that makes one whole turn between two frames?",
    },
    "one with 0.3 radian",
)

UNSEEN_ANGLES = (
    "A model with 128 features and base 10,000 was trained on 4,096 tokens and reads twice as many. Which pairs reach angles that are more than 3 degrees from all angles they have shown?",
    {
        "the fast ones, which rotate most": "They have been round hundreds of times. Is there an angle that they have not shown?",
        "the slow ones, which made no full turn": "One by one the fast pairs meet nothing new. All together they still do: new combinations of angles.",
        "all of them, fast and slow": "Take the fastest: in 4,096 tokens it went round about 652 times. How wide is the widest gap between its angles?",
    },
    "the slow ones, which made no full turn",
)

CLOSEST_TOKENS = (
    "Which rule brings two neighbouring tokens closest together, at the same factor?",
    {
        "NTK-aware": "Its fastest pair keeps its frequency, and this pair differs most between neighbours.",
        "YaRN": "Pairs with more than 32 turns are left as they are, and these tell neighbours apart.",
        "position interpolation": "It slows every pair, even the fastest.",
    },
    "position interpolation",
)

ATTENTION_FACTOR = (
    "YaRN's attention factor at 8 is 1.21. By which factor do the scores grow?",
    {
        "1.21": "It multiplies the rotated q *and* the rotated k. What does it do to their product?",
        "1.46": "This is 1.2079 squared.",
        "by none: it cancels": "Only a constant that is *added* cancels in the softmax. A factor makes it sharper.",
    },
    "1.46",
)
