-- One row for each session that looks dead, and for each machine whose reaper watches it: with which
-- heartbeat it was seen, and since when. A session is declared dead when it was seen with one heartbeat for
-- its whole ttl; the next run of `dblock reap` on that machine goes on where the last one had to stop.
CREATE TABLE IF NOT EXISTS dblock_suspect (
	session text COLLATE "C" NOT NULL,
	watcher text COLLATE "C" NOT NULL, -- whose clock `since` is: the boot of the machine that watches
	beat    bigint NOT NULL,           -- the heartbeat that was seen
	since   bigint NOT NULL,           -- by that clock, us
	noted   bigint NOT NULL,           -- when that was written, us since 1970-01-01 00:00 UTC: the less of
	                                   -- both counts
	PRIMARY KEY (session, watcher)
)
WITH (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
