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
