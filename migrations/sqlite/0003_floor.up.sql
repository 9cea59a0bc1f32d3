-- One row: the largest fencing token of all names that were deleted. A name that is not
-- known (any more) starts above it, so deleting names never lets a token go back.
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	token INTEGER NOT NULL
) STRICT;
