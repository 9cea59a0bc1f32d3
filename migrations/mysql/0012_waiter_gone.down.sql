-- One row for each call that waits in line for a lock: first come, first served, by ticket.
-- A row counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served is deleted by its own client, later, and what is dead by `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_waiter (
	name     VARBINARY(255) NOT NULL,        -- of the lock
	ticket   BIGINT NOT NULL AUTO_INCREMENT, -- its place in the line
	nonce    BIGINT NOT NULL,                -- random, made by who waits; its grant will have it
	session  CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- whose life it waits by
	thread   BIGINT NOT NULL,                -- thread as the kernel shows it
	lease    BIGINT NULL,                    -- what to grant it: length of a grant with its own end,
	at_least BIGINT NULL,                    -- minimum hold,
	value    VARCHAR(1024) NULL,             -- what it will say as the holder
	bell     VARCHAR(255) NOT NULL,          -- where to ring when it is its turn; empty: it looks
	since    BIGINT NOT NULL,                -- when it joined, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (ticket),
	KEY by_name (name, ticket)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
