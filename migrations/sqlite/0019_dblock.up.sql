-- All of dblock's tables and views but the history, which is made first. Version 0.1.0 made most of them,
-- with files 1 to 15: over those, this file makes what is missing. (Files 16 to 18 were never released.)
-- All times are microseconds: those of people since 1970-01-01 00:00 UTC, those that decide
-- something since the machine's boot, because nobody can set that clock.

-- One row for each open client. A client is alive while its row beats; when it stops for a whole
-- ttl, others may declare it dead (set dead, once and for ever), and every lock that it held is free.
CREATE TABLE IF NOT EXISTS dblock_session (
	id      TEXT NOT NULL PRIMARY KEY,         -- 128 random bits, as 32 hexadecimal digits
	clock   TEXT NOT NULL,                     -- which boot of which machine `expires` counts from
	host    TEXT NOT NULL,                     -- where the client runs
	pid     INTEGER NOT NULL,                  -- its process there
	app     TEXT NOT NULL,                     -- what it calls itself
	ttl     INTEGER NOT NULL CHECK (ttl > 0),  -- how long it lives without a heartbeat
	opened  INTEGER NOT NULL,                  -- when it was opened, since 1970
	expires INTEGER NOT NULL,                  -- last heartbeat + ttl, since boot
	beat    INTEGER NOT NULL,                  -- grows with each heartbeat, from a random number
	dead    INTEGER NOT NULL DEFAULT 0 CHECK (dead IN (0, 1)), -- declared dead or closed; never set back
	ended   INTEGER                            -- when that was, since 1970
) STRICT, WITHOUT ROWID;

-- One row for each lock name ever used. The row stays when the lock is released and is updated in
-- place, so its token can never go back; `dblock reap` deletes names long unused.
-- A lock is held by at most one of: a session (as long as that one lives), or its own end.
CREATE TABLE IF NOT EXISTS dblock_lock (
	name       TEXT NOT NULL PRIMARY KEY
	           CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 255), -- compared byte for byte
	token      INTEGER NOT NULL,            -- fencing token of the last grant; only grows
	nonce      INTEGER NOT NULL,            -- random, made by who asked for that grant; 0: over
	mode       INTEGER NOT NULL DEFAULT 0,  -- 0: this row says who has it, 1: rows of dblock_queue do
	session    TEXT,                        -- held as long as that session lives
	clock      TEXT NOT NULL DEFAULT '',    -- which boot of which machine the ends count from
	host       TEXT NOT NULL,               -- of the last holder: where,
	pid        INTEGER NOT NULL,            -- process,
	thread     INTEGER NOT NULL,            -- thread as the kernel shows it,
	reentry    INTEGER NOT NULL,            -- times acquired, as of its last heartbeat
	lease      INTEGER,                     -- length of a grant with its own end
	expires    INTEGER,                     -- held until then, since boot
	keep_until INTEGER,                     -- minimum hold: a release before then ends it then
	acquired   INTEGER NOT NULL,            -- when it was granted last, since 1970
	released   INTEGER NOT NULL DEFAULT 0,  -- when it was released last, since 1970; 0: never
	queued     INTEGER NOT NULL DEFAULT 0 CHECK (queued IN (0, 1)), -- somebody may be waiting in line
	queue_version INTEGER NOT NULL DEFAULT 0, -- grows whenever somebody joins or leaves it
	served     INTEGER NOT NULL DEFAULT 0,  -- ticket of the last waiter that it was granted to
	value      TEXT CHECK (length(CAST(value AS BLOB)) <= 1024), -- what the holder says about it
	CHECK (session IS NULL OR expires IS NULL)
) STRICT, WITHOUT ROWID;

-- The queue of each lock, as lock managers have it: those who were granted it together (token is set),
-- and those who wait for it (token is NULL), first come, first served, by ticket. Who has a lock alone
-- is in dblock_lock; here is whatever may have several holders, and what was upgraded.
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

-- One row: the largest fencing token of all names that were deleted. A name that is not
-- known (any more) starts above it, so deleting names never lets a token go back.
CREATE TABLE IF NOT EXISTS dblock_floor (
	id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
	token INTEGER NOT NULL
) STRICT;

-- The floor under all fencing tokens: no name was deleted yet.
INSERT INTO dblock_floor (id, token) VALUES (1, 0) ON CONFLICT (id) DO NOTHING;

-- One row for each slot of a job that was done (dblock_once() in once.h): marked by who held the lock
-- of that name then. The row is written once and never changed; `dblock reap` deletes it after 400
-- days (--keep-marks), and then the slot could be had again.
CREATE TABLE IF NOT EXISTS dblock_once (
	name   TEXT NOT NULL,    -- of the job, and of its lock
	slot   TEXT NOT NULL
	       CHECK (length(CAST(slot AS BLOB)) BETWEEN 1 AND 64), -- which of its times
	token  INTEGER NOT NULL, -- fencing token of the grant under which it was done
	host   TEXT NOT NULL,    -- where,
	pid    INTEGER NOT NULL, -- and by which process
	marked INTEGER NOT NULL, -- when it was marked, us since 1970
	PRIMARY KEY (name, slot),
	UNIQUE (marked, name, slot) -- for the reaper: what is old
) STRICT, WITHOUT ROWID;

-- One row for each grant whose holder was asked to let go. It is about that grant, and about no other:
-- tokens never come again. Who holds it looks here with each heartbeat, by its host and pid, and
-- deletes what is over; so does `dblock reap`. Nothing is taken from anybody by a row in here.
CREATE TABLE IF NOT EXISTS dblock_request (
	host    TEXT NOT NULL,    -- of who holds it,
	pid     INTEGER NOT NULL, -- its process there
	name    TEXT NOT NULL,    -- of the lock
	token   INTEGER NOT NULL, -- of the grant
	reason  TEXT NOT NULL,    -- what for; may be empty
	by_host TEXT NOT NULL,    -- of who asks, or asked last:
	by_pid  INTEGER NOT NULL, -- its process there,
	by_app  TEXT NOT NULL,    -- and what it calls itself
	since   INTEGER NOT NULL, -- when that was, us since 1970
	PRIMARY KEY (host, pid, name, token)
) STRICT, WITHOUT ROWID;

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

-- One row for each grant that was taken away from a living holder (dblock break, or a release by its
-- token from elsewhere), for each session whose client is to be told. Its heartbeat finds it here: the
-- grant is lost there from then on, and its holder gives it back. Whoever has seen such a row, and the
-- grant unchanged, for the session's whole ttl may free it: by then the holder has been told, or its
-- session is over. The client deletes the row when the grant is over, or `dblock reap`.
CREATE TABLE IF NOT EXISTS dblock_revocation (
	session TEXT NOT NULL,    -- whose client is to be told
	name    TEXT NOT NULL,    -- of the lock
	token   INTEGER NOT NULL, -- of the grant, as it was seen,
	nonce   INTEGER NOT NULL, -- and what stays as it is if its token grows
	cause   INTEGER NOT NULL, -- 3: broken, 4: released by its token
	by_host TEXT NOT NULL,    -- of who took it away:
	by_pid  INTEGER NOT NULL, -- its process there,
	by_app  TEXT NOT NULL,    -- and what it calls itself
	since   INTEGER NOT NULL, -- when that was, us since 1970
	told    INTEGER NOT NULL DEFAULT 0, -- 1: the client knows
	PRIMARY KEY (session, name, token),
	UNIQUE (name, token, session) -- for those who wait for that lock
) STRICT, WITHOUT ROWID;

-- One row for each session that looks dead, and for each machine whose reaper watches it: with which
-- heartbeat it was seen, and since when. A session is declared dead when it was seen with one heartbeat for
-- its whole ttl; the next run of `dblock reap` on that machine goes on where the last one had to stop.
CREATE TABLE IF NOT EXISTS dblock_suspect (
	session TEXT NOT NULL,
	watcher TEXT NOT NULL,    -- whose clock `since` is: the boot of the machine that watches
	beat    INTEGER NOT NULL, -- the heartbeat that was seen
	since   INTEGER NOT NULL, -- by that clock, us
	noted   INTEGER NOT NULL, -- when that was written, us since 1970: the less of both counts
	PRIMARY KEY (session, watcher)
) STRICT, WITHOUT ROWID;

-- For people: the locks that are taken, who took them, and since when (UTC).
-- SQL cannot read the clock that their ends count from (the time since boot): `expires` is always
-- NULL here, and a lease that has just ended may still be listed. `dblock ls` knows.
--   held_by  session: as long as its client beats; lease: until its own end;
--            rest: released, but kept taken until its minimum hold is over
CREATE VIEW IF NOT EXISTS dblock_held AS
SELECT l.name,
       l.token,
       CASE WHEN l.session IS NOT NULL THEN 'session'
            WHEN l.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       l.host,
       l.pid,
       l.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', l.acquired / 1000000, 'unixepoch')
           || printf('.%06d', l.acquired % 1000000) AS acquired,
       NULL AS expires,
       l.value,
       'exclusive' AS mode,
       1 AS weight,
       NULL AS capacity
FROM dblock_lock AS l
LEFT JOIN dblock_session AS s ON s.id = l.session
WHERE CASE WHEN l.session IS NOT NULL THEN NOT coalesce(s.dead, 0)
           ELSE l.expires IS NOT NULL END
UNION ALL
SELECT q.name,
       q.token,
       CASE WHEN q.expires IS NULL THEN 'session'
            WHEN q.nonce <> 0 THEN 'lease'
            ELSE 'rest' END AS held_by,
       q.host,
       q.pid,
       q.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', q.acquired / 1000000, 'unixepoch')
           || printf('.%06d', q.acquired % 1000000) AS acquired,
       NULL AS expires,
       q.value,
       CASE q.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END,
       q.weight,
       q.capacity
FROM dblock_queue AS q
LEFT JOIN dblock_session AS s ON s.id = q.session
WHERE q.token IS NOT NULL
  AND (CASE WHEN q.expires IS NULL THEN NOT coalesce(s.dead, 0)
           ELSE q.expires IS NOT NULL END);

-- For people: who waits in line for which lock, and since when (UTC).
--   place    1 is next; NULL: it does not count any more, for its session is dead or missing
--   mode     exclusive, shared, update, or permits: weight of capacity
--   seconds  that it has waited
CREATE VIEW IF NOT EXISTS dblock_waits AS
SELECT w.name,
       CASE WHEN NOT s.dead
            THEN count(CASE WHEN NOT s.dead THEN 1 END)
                 OVER (PARTITION BY w.name ORDER BY w.ticket ROWS UNBOUNDED PRECEDING) END AS place,
       s.host,
       s.pid,
       w.thread,
       s.app,
       strftime('%Y-%m-%d %H:%M:%S', w.since / 1000000, 'unixepoch')
           || printf('.%06d', w.since % 1000000) AS since,
       CAST(strftime('%s', 'now') AS INTEGER) - w.since / 1000000 AS seconds,
       w.value,
       CASE w.mode WHEN 1 THEN 'shared' WHEN 2 THEN 'update' WHEN 3 THEN 'permits' ELSE 'exclusive' END AS mode,
       w.weight, w.capacity
FROM dblock_queue AS w
LEFT JOIN dblock_lock AS l ON l.name = w.name
LEFT JOIN dblock_session AS s ON s.id = w.session
WHERE w.ticket > coalesce(l.served, 0) AND w.token IS NULL;
