-- All of dblock's tables and views but the history, which is made first. Version 0.1.0 made most of them,
-- with files 1 to 15: over those, this file makes what is missing. (Files 16 to 18 were never released.)
-- All times are microseconds since 1970-01-01 00:00 UTC by this server's clock.

-- One row for each open client. A client is alive while its row beats; when it stops for a whole
-- ttl, others may declare it dead (set dead, once and for ever), and every lock that it held is free.
CREATE TABLE IF NOT EXISTS dblock_session (
	id      CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- 128 random bits, hexadecimal
	host    VARCHAR(255) NOT NULL,          -- where the client runs
	pid     BIGINT NOT NULL,                -- its process there
	app     VARCHAR(255) NOT NULL,          -- what it calls itself
	ttl     BIGINT NOT NULL,                -- how long it lives without a heartbeat
	opened  BIGINT NOT NULL,                -- when it was opened
	expires BIGINT NOT NULL,                -- last heartbeat + ttl
	beat    BIGINT NOT NULL,                -- grows with each heartbeat, from a random number
	dead    BOOLEAN NOT NULL DEFAULT FALSE, -- declared dead or closed; never set back
	ended   BIGINT NULL,                    -- when that was
	PRIMARY KEY (id),
	CHECK (ttl > 0)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row for each lock name ever used. The row stays when the lock is released and is updated in
-- place, so its token can never go back; `dblock reap` deletes names long unused.
-- A lock is held by at most one of: a session (as long as that one lives), or its own end.
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       VARBINARY(255) NOT NULL,        -- UTF-8, compared byte for byte
	token      BIGINT NOT NULL,                -- fencing token of the last grant; only grows
	nonce      BIGINT NOT NULL,                -- random, made by who asked for that grant; 0: over
	mode       SMALLINT NOT NULL DEFAULT 0,    -- 0: this row says who has it, 1: rows of dblock_queue do
	session    CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL, -- held as long as that lives
	host       VARCHAR(255) NOT NULL,          -- of the last holder: where,
	pid        BIGINT NOT NULL,                -- process,
	thread     BIGINT NOT NULL,                -- thread as the kernel shows it,
	reentry    BIGINT NOT NULL,                -- times acquired, as of its last heartbeat
	lease      BIGINT NULL,                    -- length of a grant with its own end
	expires    BIGINT NULL,                    -- held until then
	keep_until BIGINT NULL,                    -- minimum hold: a release before then ends it then
	acquired   BIGINT NOT NULL,                -- when it was granted last
	released   BIGINT NOT NULL DEFAULT 0,      -- when it was released last; 0: never
	queued     BOOLEAN NOT NULL DEFAULT FALSE, -- somebody may be waiting in line
	queue_version BIGINT NOT NULL DEFAULT 0,   -- grows whenever somebody joins or leaves it
	served     BIGINT NOT NULL DEFAULT 0,      -- ticket of the last waiter that it was granted to
	value      VARCHAR(1024) NULL,             -- what the holder says about it
	PRIMARY KEY (name),
	CHECK (LENGTH(name) BETWEEN 1 AND 255),
	CHECK (session IS NULL OR expires IS NULL)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The queue of each lock, as lock managers have it: those who were granted it together (token is set),
-- and those who wait for it (token is NULL), first come, first served, by ticket. Who has a lock alone
-- is in dblock_lock; here is whatever may have several holders, and what was upgraded.
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

-- One row: the largest fencing token of all names that were deleted. A name that is not
-- known (any more) starts above it, so deleting names never lets a token go back.
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    INT NOT NULL,
	token BIGINT NOT NULL,
	PRIMARY KEY (id),
	CHECK (id = 1)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- The floor under all fencing tokens: no name was deleted yet.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON DUPLICATE KEY UPDATE token = token;

-- One row for each slot of a job that was done (dblock_once() in once.h): marked by who held the lock
-- of that name then. The row is written once and never changed; `dblock reap` deletes it after 400
-- days (--keep-marks), and then the slot could be had again.
CREATE TABLE IF NOT EXISTS dblock_once (
	name   VARBINARY(255) NOT NULL, -- of the job, and of its lock
	slot   VARBINARY(64) NOT NULL,  -- which of its times: UTF-8, compared byte for byte
	token  BIGINT NOT NULL,         -- fencing token of the grant under which it was done
	host   VARCHAR(255) NOT NULL,   -- where,
	pid    BIGINT NOT NULL,         -- and by which process
	marked BIGINT NOT NULL,         -- when it was marked, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (name, slot),
	KEY by_time (marked),
	CHECK (LENGTH(slot) BETWEEN 1 AND 64)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row for each grant whose holder was asked to let go. It is about that grant, and about no other:
-- tokens never come again. Who holds it looks here with each heartbeat, by its host and pid, and
-- deletes what is over; so does `dblock reap`. Nothing is taken from anybody by a row in here.
CREATE TABLE IF NOT EXISTS dblock_request (
	host    VARCHAR(255) NOT NULL,   -- of who holds it,
	pid     BIGINT NOT NULL,         -- its process there
	name    VARBINARY(255) NOT NULL, -- of the lock
	token   BIGINT NOT NULL,         -- of the grant
	reason  VARCHAR(255) NOT NULL,   -- what for; may be empty
	by_host VARCHAR(255) NOT NULL,   -- of who asks, or asked last:
	by_pid  BIGINT NOT NULL,         -- its process there,
	by_app  VARCHAR(255) NOT NULL,   -- and what it calls itself
	since   BIGINT NOT NULL,         -- when that was, us since 1970-01-01 00:00 UTC
	PRIMARY KEY (host, pid, name, token)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

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

-- One row for each grant that was taken away from a living holder (dblock break, or a release by its
-- token from elsewhere), for each session whose client is to be told. Its heartbeat finds it here: the
-- grant is lost there from then on, and its holder gives it back. Whoever has seen such a row, and the
-- grant unchanged, for the session's whole ttl may free it: by then the holder has been told, or its
-- session is over. The client deletes the row when the grant is over, or `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_revocation (
	session CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- whose client is to be told
	name    VARBINARY(255) NOT NULL, -- of the lock
	token   BIGINT NOT NULL,         -- of the grant, as it was seen,
	nonce   BIGINT NOT NULL,         -- and what stays as it is if its token grows
	cause   SMALLINT NOT NULL,       -- 3: broken, 4: released by its token
	by_host VARCHAR(255) NOT NULL,   -- of who took it away:
	by_pid  BIGINT NOT NULL,         -- its process there,
	by_app  VARCHAR(255) NOT NULL,   -- and what it calls itself
	since   BIGINT NOT NULL,         -- when that was, us since 1970-01-01 00:00 UTC
	told    SMALLINT NOT NULL DEFAULT 0, -- 1: the client knows
	PRIMARY KEY (session, name, token),
	UNIQUE KEY (name, token, session) -- for those who wait for that lock
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- One row for each session that looks dead, and for each machine whose reaper watches it: with which
-- heartbeat it was seen, and since when. A session is declared dead when it was seen with one heartbeat for
-- its whole ttl; the next run of `dblock reap` on that machine goes on where the last one had to stop.
CREATE TABLE IF NOT EXISTS dblock_suspect (
	session CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	watcher VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- whose clock `since` is: the boot
	                         -- of the machine that watches
	beat    BIGINT NOT NULL, -- the heartbeat that was seen
	since   BIGINT NOT NULL, -- by that clock, us
	noted   BIGINT NOT NULL, -- when that was written, us since 1970-01-01 00:00 UTC: the less of both counts
	PRIMARY KEY (session, watcher)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- For people: the locks that are held now, who holds them, since when and until when (UTC).
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
--   mode     exclusive, shared, update, or permits: weight of capacity
--   expires  when it ends unless it is renewed; past: the client stopped, and may be declared dead
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_held AS
SELECT CONVERT(l.name USING utf8mb4) AS name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL l.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN l.session IS NOT NULL THEN s.expires
                ELSE l.expires END MICROSECOND AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(l.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END
UNION ALL
SELECT CONVERT(q.name USING utf8mb4) AS name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL q.acquired MICROSECOND AS acquired,
       TIMESTAMP('1970-01-01') + INTERVAL
           CASE WHEN q.expires IS NULL THEN s.expires
                ELSE q.expires END MICROSECOND AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT COALESCE(s.dead, FALSE)
           ELSE COALESCE(q.expires, 0)
                > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) END);

-- For people: who waits in line for which lock, and since when (UTC).
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   mode     exclusive, shared, update, or permits: weight of capacity
--   seconds  that it has waited
--   alive    0: its client stopped its heartbeat a ttl ago, and is passed over
CREATE OR REPLACE SQL SECURITY INVOKER VIEW dblock_waits AS
SELECT CONVERT(w.name USING utf8mb4) AS name,
       CASE WHEN NOT s.dead
            THEN COUNT(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       TIMESTAMP('1970-01-01') + INTERVAL w.since MICROSECOND AS since,
       (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) - w.since) DIV 1000000 AS seconds,
       NOT s.dead AND s.expires > CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED) AS alive,
       w.value,
       CASE w.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END AS mode,
       w.weight, w.capacity
FROM dblock_queue AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > COALESCE(l.served, 0) AND w.token IS NULL;
