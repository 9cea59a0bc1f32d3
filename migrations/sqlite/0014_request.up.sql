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
