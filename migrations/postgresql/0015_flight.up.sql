-- The last result of each key that dblock_single_flight() was asked for (single_flight.h): a cache, which
-- may be emptied at any time. A row is written by who held the lock of that name when the result was
-- made, and deleted by `dblock reap` once it is of no more use.
CREATE TABLE IF NOT EXISTS dblock_flight (
	name    text COLLATE "C" PRIMARY KEY,  -- of the lock: flight: and the key
	token   bigint NOT NULL,               -- fencing token of the grant under which it was made
	made    bigint NOT NULL,               -- when it was ready, us since 1970-01-01 00:00 UTC
	took    bigint NOT NULL,               -- for which it was being made, us
	expires bigint NOT NULL,               -- when it may be deleted
	coded   smallint NOT NULL,             -- value is 0: the result, a text; 1: its bytes in base64
	value   text NOT NULL CHECK (octet_length(value) <= 87380),
	UNIQUE (expires, name)                 -- for the reaper
);
