-- The queue of each lock, as lock managers have it: those who were granted it together (token is set),
-- and those who wait for it (token is NULL), first come, first served, by ticket. Who has a lock alone
-- is in dblock_lock; here is whatever may have several holders, and what was upgraded.
-- (dblock_lock.mode: 0 its own row says who has it, 1 rows with a token here do.)
-- Who waits counts as long as its session lives and its ticket is above the lock's `served`; what has
-- been served there is deleted by its own client, later, and what is dead by `dblock reap`. A row with
-- a token holds the lock, whoever's it is, until it is deleted.
CREATE TABLE IF NOT EXISTS dblock_queue (
	name       VARBINARY(255) NOT NULL,     -- of the lock
	ticket     BIGINT NOT NULL AUTO_INCREMENT, -- its place in the line
	nonce      BIGINT NOT NULL,             -- random, made by who asks; its grant will have it
	mode       SMALLINT NOT NULL DEFAULT 0, -- 0 exclusive, 1 shared, 2 update, 3 permits
	weight     BIGINT NOT NULL DEFAULT 1,   -- so many permits
	capacity   BIGINT NULL,                 -- of so many that there are
	upgrades   BIGINT NULL,                 -- nonce of its own grant that it is to replace
	names      BIGINT NOT NULL DEFAULT 1,   -- it waits for so many names at once: one nonce, one ticket
	session    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- whose life it waits by, and
	                                        -- holds by unless it expires
	thread     BIGINT NOT NULL,             -- thread as the kernel shows it
	blocks     BOOLEAN NOT NULL DEFAULT FALSE, -- which does nothing else while it waits
	lease      BIGINT NULL,                 -- what to grant it: length of a grant with its own end,
	at_least   BIGINT NULL,                 -- minimum hold,
	value      VARCHAR(1024) NULL,          -- what it says as the holder
	bell       VARCHAR(255) NOT NULL,       -- where to ring when it is its turn; empty: it looks
	since      BIGINT NOT NULL,             -- when it joined, us since 1970-01-01 00:00 UTC
	token      BIGINT NULL,                 -- fencing token: it holds; NULL: it waits
	acquired   BIGINT NULL,                 -- since when it holds,
	expires    BIGINT NULL,                 -- until when; NULL: by its session,
	keep_until BIGINT NULL,                 -- minimum hold,
	host       VARCHAR(255) NOT NULL DEFAULT '', -- where,
	pid        BIGINT NOT NULL DEFAULT 0,   -- process,
	reentry    BIGINT NOT NULL DEFAULT 1,   -- times acquired, as of its last heartbeat
	PRIMARY KEY (name, ticket),
	KEY by_ticket (ticket),
	KEY by_session (session, thread) -- what a thread waits for, and what a client's waits have left
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
