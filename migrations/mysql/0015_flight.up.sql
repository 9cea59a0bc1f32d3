-- The last result of each key that dblock_single_flight() was asked for (single_flight.h): a cache, which
-- may be emptied at any time. A row is written by who held the lock of that name when the result was
-- made, and deleted by `dblock reap` once it is of no more use.
CREATE TABLE IF NOT EXISTS dblock_flight (
	name    VARBINARY(255) NOT NULL, -- of the lock: flight: and the key
	token   BIGINT NOT NULL,         -- fencing token of the grant under which it was made
	made    BIGINT NOT NULL,         -- when it was ready, us since 1970-01-01 00:00 UTC
	took    BIGINT NOT NULL,         -- for which it was being made, us
	expires BIGINT NOT NULL,         -- when it may be deleted
	coded   SMALLINT NOT NULL,       -- value is 0: the result, a text; 1: its bytes in base64
	value   MEDIUMTEXT NOT NULL,
	PRIMARY KEY (name),
	KEY by_end (expires),
	CHECK (LENGTH(value) <= 87380)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
