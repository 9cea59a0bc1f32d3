-- suspect_note: a session looks dead: it was seen with this heartbeat, since when by the watcher's clock.
-- $1 session  $2 watcher  $3 beat  $4 since
INSERT INTO dblock_suspect (session, watcher, beat, since, noted)
VALUES ($1, $2, $3, $4, $wall)
ON CONFLICT (session, watcher) DO UPDATE SET beat = excluded.beat, since = excluded.since, noted = excluded.noted
