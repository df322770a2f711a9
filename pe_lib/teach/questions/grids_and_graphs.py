"""The questions of chapter 10: (question, {option: feedback}, the right option), in the order of the notebook."""

SQUARE_HIDES = (
    "Code numbers the patches of a picture by row · rows + column, where it should be row · columns + column. On which grid do all tests pass?",
    {
        "on 2 × 3": "Row 1 would begin with number 2, which the last patch of row 0 already has.",
        "on 3 × 3": "Rows and columns are the same number there, so nobody sees the mistake.",
        "on 3 × 2": "Row 1 would begin with number 3, and it should begin with 2.",
        "on none": "Try a grid on which rows and columns are equal.",
    },
    "on 3 × 3",
)

TURNED_BASIS = (
    "Two eigenvectors of a graph have the same eigenvalue. A second program returns another pair for it, turned by 40 degrees in their plane. Which of the two programs is right?",
    {
        "the first": "What would it take to prefer it? Both pairs are orthonormal, and both are eigenvectors.",
        "the second": "What would it take to prefer it? Both pairs are orthonormal, and both are eigenvectors.",
        "both": "Only the plane is determined, and its projector is the same for both.",
        "neither: an eigenvector is unique": "For a single eigenvalue it is, up to its sign and length. Here two share one.",
    },
    "both",
)

SWIN_SIGN = (
    "Swin's table is indexed by query minus key, this course counts key minus query. A checkpoint's table is used with the course's sign. What happens?",
    {
        "an error: an index is negative": "Both are shifted so that they begin at 0. All indices are in range.",
        "nothing, since a bias is symmetric": "A bias by distance would be. This table has a number for left and another one for right.",
        "each patch gets the bias meant for the opposite direction": "No shape changes, and nothing complains.",
        "rows and columns are exchanged": "That is another mistake: axes swapped. Here each offset changes its sign.",
    },
    "each patch gets the bias meant for the opposite direction",
)

NO_PATH = (
    "Two nodes are in different components of a graph. Which distance should a bias use for them?",
    {
        "0": "That is the distance of a node to itself.",
        "the largest distance that occurs": "Then the model cannot tell *far* from *not joined at all*.",
        "−1, as some programs print it": "As an index, −1 is the last entry of a table: by luck or by mistake.",
        "infinity, with a number of its own": "It is not a large distance but none.",
    },
    "infinity, with a number of its own",
)

CLASS_TOKEN = (
    "A class token is put before the patches of a picture, and the 2-D rotation leaves it as it is. Where is it, as far as scores can tell?",
    {
        "nowhere": "What does a rotation by position 0 do?",
        "at row 0, column 0": "No rotation is the rotation of the first patch. A vector or bias of its own says that it has no place.",
        "in the middle of the picture": "Each patch is rotated by its own row and column, counted from the corner.",
        "behind the last patch": "Its place in the list does not enter; only row and column do.",
    },
    "at row 0, column 0",
)

RESIZE = (
    "A table of positions for 14 × 14 patches has learned to mark every other patch. It is resized to 7 × 7 by interpolation. What is left of the mark?",
    {
        "all of it, coarser": "A new patch stands between two old ones in each direction. What is the mean of 0 and 1?",
        "nothing: every new patch mixes 0 and 1 alike": "What alternates from patch to patch cannot survive the halving; a smooth pattern would.",
        "its negative": "Weights of an interpolation are never negative here.",
        "it marks every fourth patch": "Compute one: its centre lies in the middle of four old patches, two of them marked.",
    },
    "nothing: every new patch mixes 0 and 1 alike",
)
