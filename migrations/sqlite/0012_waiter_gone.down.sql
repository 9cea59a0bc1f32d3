-- One row for each call that waits in line for a lock: first come, first served, by ticket.
-- A row counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served is deleted by its own client, later, and what is dead by `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_waiter (
	name     TEXT NOT NULL,    -- of the lock
	ticket   INTEGER NOT NULL, -- its place in the line
	nonce    INTEGER NOT NULL, -- random, made by who waits; its grant will have it
	session  TEXT NOT NULL,    -- whose life it waits by
	thread   INTEGER NOT NULL, -- thread as the kernel shows it
	lease    INTEGER,          -- what to grant it: length of a grant with its own end,
	at_least INTEGER,          -- minimum hold,
	value    TEXT,             -- what it will say as the holder
	bell     TEXT NOT NULL,    -- where to ring when it is its turn; empty: it looks
	since    INTEGER NOT NULL, -- when it joined, us since 1970
	PRIMARY KEY (name, ticket)
) STRICT, WITHOUT ROWID;
