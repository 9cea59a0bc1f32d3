-- What happened to locks and sessions, for people (dblock events): a loss, a break, a death, a refusal; who,
-- when, by whom. Written where something is written anyway. Nothing is decided by a row in here, and any may
-- be deleted: `dblock reap` keeps the newest 10 000, and none that is older than 30 days.
CREATE TABLE IF NOT EXISTS dblock_event (
	id      INTEGER NOT NULL PRIMARY KEY, -- grows
	at      INTEGER NOT NULL, -- when it was written, us since 1970-01-01 00:00 UTC
	kind    INTEGER NOT NULL, -- what: enum dblock_event_kind in events.h
	name    TEXT NOT NULL,    -- of the lock; empty: of none, or of all that a session held
	token   INTEGER NOT NULL, -- of the grant; 0: of none
	host    TEXT NOT NULL,    -- to whom it happened: where,
	pid     INTEGER NOT NULL, -- its process there,
	app     TEXT NOT NULL,    -- what it calls itself,
	session TEXT NOT NULL,    -- and its session; empty, 0: unknown
	by_host TEXT NOT NULL,    -- who did it, or noticed it: where,
	by_pid  INTEGER NOT NULL, -- its process there,
	by_app  TEXT NOT NULL,    -- and what it calls itself
	detail  TEXT NOT NULL,    -- for people
	UNIQUE (name, id)         -- what happened to one lock
) STRICT;

-- The first that happened: this. (Who did it is in the history.) A later file that changes the tables says so
-- as well.
INSERT INTO dblock_event (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES (CAST(strftime('%s', 'now') AS INTEGER) * 1000000, 10, '', 0, '', 0, '', '', '', 0, '',
        'migration 0021_event');
