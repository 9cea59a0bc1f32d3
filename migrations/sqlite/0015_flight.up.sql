-- The last result of each key that dblock_single_flight() was asked for (single_flight.h): a cache, which
-- may be emptied at any time. A row is written by who held the lock of that name when the result was
-- made, and deleted by `dblock reap` once it is of no more use.
CREATE TABLE IF NOT EXISTS dblock_flight (
	name    TEXT NOT NULL PRIMARY KEY, -- of the lock: flight: and the key
	token   INTEGER NOT NULL, -- fencing token of the grant under which it was made
	made    INTEGER NOT NULL, -- when it was ready, us since 1970
	took    INTEGER NOT NULL, -- for which it was being made, us
	expires INTEGER NOT NULL, -- when it may be deleted
	coded   INTEGER NOT NULL, -- value is 0: the result, a text; 1: its bytes in base64
	value   TEXT NOT NULL CHECK (length(CAST(value AS BLOB)) <= 87380),
	UNIQUE (expires, name) -- for the reaper
) STRICT;
