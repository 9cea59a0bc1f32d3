-- One row: the largest fencing token of all names that were deleted. A name that is not
-- known (any more) starts above it, so deleting names never lets a token go back.
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    integer PRIMARY KEY CHECK (id = 1),
	token bigint NOT NULL
);
