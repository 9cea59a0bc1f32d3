-- The queue of each lock, as lock managers have it: those who were granted it together (token is set),
-- and those who wait for it (token is NULL), first come, first served, by ticket. Who has a lock alone
-- is in dblock_lock; here is whatever may have several holders, and what was upgraded.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows with a token here do.)
-- Who waits counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served there is deleted by its own client, later, and what is dead by `dblock reap`. A row with
-- a token holds the lock, whoever's it is, until it is deleted.
CREATE TABLE IF NOT EXISTS dblock_queue (
	name       TEXT NOT NULL,    -- of the lock
	ticket     INTEGER NOT NULL, -- its place in the line
	nonce      INTEGER NOT NULL, -- random, made by who asks; its grant will have it
	mode       INTEGER NOT NULL DEFAULT 0, -- 0 exclusive, 1 shared, 2 update, 3 permits
	weight     INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0), -- so many permits
	capacity   INTEGER,          -- of so many that there are
	upgrades   INTEGER,          -- nonce of its own grant that it is to replace
	names      INTEGER NOT NULL DEFAULT 1, -- it waits for so many names at once: one nonce, one ticket
	session    TEXT NOT NULL,    -- whose life it waits by, and holds by unless it expires
	thread     INTEGER NOT NULL, -- thread as the kernel shows it
	blocks     INTEGER NOT NULL DEFAULT 0 CHECK (blocks IN (0, 1)), -- which does nothing else meanwhile
	lease      INTEGER,          -- what to grant it: length of a grant with its own end,
	at_least   INTEGER,          -- minimum hold,
	value      TEXT CHECK (length(CAST(value AS BLOB)) <= 1024), -- what it says as the holder
	bell       TEXT NOT NULL,    -- where to ring when it is its turn; empty: it looks
	since      INTEGER NOT NULL, -- when it joined, us since 1970
	token      INTEGER,          -- fencing token: it holds; NULL: it waits
	acquired   INTEGER,          -- since when it holds, us since 1970
	clock      TEXT NOT NULL DEFAULT '', -- which boot of which machine the ends count from
	expires    INTEGER,          -- until when, since boot; NULL: by its session
	keep_until INTEGER,          -- minimum hold, since boot
	host       TEXT NOT NULL DEFAULT '', -- where,
	pid        INTEGER NOT NULL DEFAULT 0, -- process,
	reentry    INTEGER NOT NULL DEFAULT 1, -- times acquired, as of its last heartbeat
	PRIMARY KEY (name, ticket)
) STRICT, WITHOUT ROWID;
-- What a thread waits for, and what a client's waits have left.
CREATE INDEX IF NOT EXISTS dblock_queue_session ON dblock_queue (session, thread) WHERE token IS NULL;
