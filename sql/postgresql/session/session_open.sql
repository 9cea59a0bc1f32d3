-- session_open: insert our session's row; a row as that of heartbeat. Sent twice, it is a heartbeat,
-- unless a later beat has come.
-- (That nobody has number 0 of dblock_history and dblock_event: who may not read those is refused now, not
-- later.)
-- $1 id  $2 host  $3 pid  $4 app  $5 ttl us  $6 beat  $7 mark
-- $8 protocol, in bits: 1: its client reads dblock_revocation; 2: no grant of its need be durable (relaxed)

INSERT INTO dblock_session AS s (id, host, pid, app, ttl, opened, expires, beat, protocol, mark)
SELECT $1::text, $2::text, $3::bigint, $4::text, $5::bigint, c.now, c.now + $5::bigint, $6::bigint, $8::bigint, $7::text
  FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now) c
ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, expires = excluded.expires
 WHERE NOT s.dead AND s.beat <= excluded.beat
RETURNING 4 * (s.expires - s.ttl)
          + 4 * EXISTS (SELECT 1 FROM dblock_history h WHERE h.n = 0
                                AND EXISTS (SELECT 1 FROM dblock_event v WHERE v.id = 0))::int
          + 2 * EXISTS (SELECT 1 FROM dblock_revocation v WHERE v.session = s.id)::int
          + EXISTS (SELECT 1 FROM dblock_request r WHERE r.host = s.host AND r.pid = s.pid)::int AS now
