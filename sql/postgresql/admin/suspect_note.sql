-- suspect_note: a session looks dead: it was seen with this heartbeat, since when by the watcher's clock.
-- $1 session  $2 watcher  $3 beat  $4 since
INSERT INTO dblock_suspect (session, watcher, beat, since, noted)
VALUES ($1::text, $2::text, $3::bigint, $4::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
ON CONFLICT (session, watcher) DO UPDATE SET beat = excluded.beat, since = excluded.since, noted = excluded.noted
