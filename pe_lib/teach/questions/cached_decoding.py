"""The questions of chapter 7: (question, {option: feedback}, the right option), in the order of the notebook."""

CACHED_KEY = (
    "For the score of query 5 with this key, the cached key must stand at position …",
    {
        "5, since that is where we are now": "The *query* is there. Chapter 5: what does the score depend on?",
        "−3, its distance from the query": "The distance is what the product makes of 5 and 2. Has anyone to put it in?",
        "2, where it was made": "Yes. Token 2 has not moved; the query has a position of its own, and the product sees the gap.",
        "the number of its row in the cache": "A good answer until a token is dropped, or padded. Then rows and positions part.",
    },
    "2, where it was made",
)

ONE_STEP = (
    "A test compares all logits of a prompt of nine tokens and of one single step after it. Of the nine faults it misses …",
    {
        "none: a wrong step is a wrong step": "Two faults need more than one step, or more than one token at a time.",
        "two": "Yes: the key stored unturned, and the mask that is wrong for chunks only. See below.",
        "all: it never gets far enough": "Most show at once: the first step already has a wrong offset.",
    },
    "two",
)

DROPPED = (
    "Tokens 0 to 9 are cached. Token 4 is dropped, and the other keys stay as they are. The next token's position is …",
    {
        "9, since nine rows are left": "Then it would stand where token 9 stands. Have the kept keys moved up?",
        "10": "Right: the count goes on, and the gap at 4 stays.",
        "4, the place that is free": "A row is free. Position 4 lies between tokens 3 and 5, and the new token comes after 9.",
    },
    "10",
)

ONE_TOO_FAR = (
    "After a prompt, every new token (query and key) stands one too far. Which offsets of new queries are right?",
    {
        "none": "Take two new tokens: both are one too far. What is left of their gap?",
        "those to the prompt's keys": "These are off by one: the prompt's keys have not moved.",
        "those to new tokens": "Right: they moved together, as a query and its own key did.",
    },
    "those to new tokens",
)

CHUNK = (
    "A chunk of 3 comes behind 7 cached tokens. Its first query may look at …",
    {
        "1 key": "That is the mask laid from the top left.",
        "8 keys": "Right: seven cached ones and its own.",
        "10 keys": "Two of them come after it.",
        "7 keys": "It may look at itself as well.",
    },
    "8 keys",
)

AGREED = (
    "Cached and full logits agree at every step, for every cut. What may still be wrong?",
    {
        "the base": "Right: both passes use it. What they share, they cannot see.",
        "a count that restarts in each call": "Then the steps would differ from the full pass.",
        "the corner of the mask": "A cut into chunks shows it.",
        "nothing": "Two clocks that agree may both be wrong. What do both passes have in common?",
    },
    "the base",
)
