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
