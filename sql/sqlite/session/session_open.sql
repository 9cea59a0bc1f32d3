-- session_open: insert our session's row; a row as that of heartbeat. Sent twice, it is a heartbeat,
-- unless a later beat has come.
-- (That nobody has number 0 of dblock_history and dblock_event: who may not read those is refused now, not
-- later.)
-- $1 id  $2 host  $3 pid  $4 app  $5 ttl us  $6 beat  $7 mark
-- $8 protocol, in bits: 1: its client reads dblock_revocation; 2: no grant of its need be durable (relaxed)

INSERT INTO dblock_session (id, host, pid, app, ttl, opened, expires, beat, clock, protocol, mark)
VALUES ($1, $2, $3, $4, $5, $wall, $boot + $5, $6, $clock, $8, $7)
ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, expires = excluded.expires
 WHERE NOT dead AND beat <= excluded.beat
RETURNING 4 * (expires - ttl)
          + 4 * EXISTS (SELECT 1 FROM dblock_history h WHERE h.n = 0
                                AND EXISTS (SELECT 1 FROM dblock_event v WHERE v.id = 0))
          + 2 * EXISTS (SELECT 1 FROM dblock_revocation v WHERE v.session = dblock_session.id)
          + EXISTS (SELECT 1 FROM dblock_request r
                     WHERE r.host = dblock_session.host AND r.pid = dblock_session.pid) AS now
