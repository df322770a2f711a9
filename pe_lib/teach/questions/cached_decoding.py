"""The questions of chapter 7: (question, {option: feedback}, the right option), in the order of the notebook."""

CACHED_KEY = (
    "Query 5 is about to score this cached key. At which position must the key be?",
    {
        "5, since that is where we are now": "The *query* is there. Chapter 5: what does the score depend on?",
        "−3, its offset from the query": "The dot product works out the offset from 5 and 2 by itself. Does anyone have to supply it?",
        "2, where it was made": "Token 2 has not moved. The query has a position of its own, and the dot product depends on the offset between them.",
        "the number of its row in the cache": "This works until a token is dropped or padded. Then rows and positions differ.",
    },
    "2, where it was made",
)

ONE_STEP = (
    "A test compares all logits of a prompt of nine tokens and of one single step after it. How many of the nine faults does it miss?",
    {
        "none: a wrong step is a wrong step": "Two faults need more than one step, or more than one token at a time.",
        "two": "They are the new key that is cached unturned, and the mask that is wrong for chunks only.",
        "all: it never gets far enough": "Most show at once: the first step already has a wrong offset.",
    },
    "two",
)

DROPPED = (
    "Tokens 0 to 9 are cached. Token 4 is dropped, and the other keys stay as they are. What is the next token's position?",
    {
        "9, since nine rows are left": "Then it would have the position of token 9. Were the kept keys moved up?",
        "10": "The count goes on, and the gap at 4 stays.",
        "4, the position that is free": "A row is free. Position 4 lies between tokens 3 and 5, and the new token comes after 9.",
    },
    "10",
)

ONE_TOO_FAR = (
    "After a prompt, the position of every new token (query and key) is one too large. Which offsets of new queries are right?",
    {
        "none": "Take two new tokens: both are one too far. What is the offset between them?",
        "those to the prompt's keys": "These are off by one: the prompt's keys have not moved.",
        "those to new tokens": "They moved together, as a query and its own key did.",
    },
    "those to new tokens",
)

CHUNK = (
    "A chunk of 3 tokens follows 7 cached ones. How many keys may its first query look at?",
    {
        "1 key": "That is what a mask from the top left would allow.",
        "8 keys": "They are the seven cached keys and its own.",
        "10 keys": "Two of them come after it.",
        "7 keys": "It may look at itself as well.",
    },
    "8 keys",
)

AGREED = (
    "Cached and full logits agree at every step, for every cut. What may still be wrong?",
    {
        "the base": "Both passes use it, and a comparison cannot see what they share.",
        "a count that restarts in each call": "Then the steps would differ from the full pass.",
        "the corner of the mask": "A cut into chunks shows it.",
        "nothing": "Two passes that agree may both be wrong. What do they have in common?",
    },
    "the base",
)
