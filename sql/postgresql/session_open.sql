-- session_open: our session's row; a row as that of heartbeat. Sent twice, it beats, unless it comes
-- after a later beat.
-- $1 id  $2 host  $3 pid  $4 app  $5 ttl us  $6 beat

INSERT INTO dblock_session AS s (id, host, pid, app, ttl, opened, expires, beat)
SELECT $1::text, $2::text, $3::bigint, $4::text, $5::bigint, c.now, c.now + $5::bigint, $6::bigint
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, expires = excluded.expires
 WHERE NOT s.dead AND s.beat <= excluded.beat
RETURNING 2 * (s.expires - s.ttl)
          + EXISTS (SELECT 1 FROM dblock_request r WHERE r.host = s.host AND r.pid = s.pid)::int AS now
