-- look: one lock and its holder's session, to decide whether to wait, to declare the holder dead, or to
-- take the lock.
-- watch: NULL, or the grant is being taken away from its holder (dblock_revocation): who has seen that
-- for so long may free it, since by then the holder has been told or is over. For a lease, only once each
-- living session of its holder's process has been told, since its client may have begun another session.
-- Each of those reads it with its next heartbeat, whichever session it is written for (see revocations).
-- mark: what may prove that the holder's process is dead. ahead: does somebody wait before us?
-- Times of another clock are NULL, unknown: on SQLite those of an earlier boot, or of another time
-- namespace.
-- $1 name  $2 own session  $3 nonce of our own wait, or 0  $4 own session's last beat
SELECT l.name IS NOT NULL AS found, l.token, l.nonce, l.session, l.expires, l.lease,
       CASE WHEN l.clock = $clock THEN l.expires - c.now END AS lease_left, l.queued,
       s.dead, s.beat, s.ttl,
       CASE WHEN s.clock = $clock THEN s.expires - c.now END AS session_left, l.host, l.pid,
       EXISTS (SELECT 1 FROM dblock_session me WHERE me.id = $2 AND NOT me.dead AND me.beat >= $4) AS own,
       coalesce(l.served, 0) AS served,
       (SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $3) AS ticket,
       c.now,
       coalesce(l.mode, 0) AS mode,
       (SELECT max(w.token) FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $3) AS row_token,
       (SELECT max(w.expires) - c.now FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $3 AND w.clock = $clock) AS row_left,
       coalesce(l.thread, 0) AS thread,
       (SELECT CASE WHEN l.expires IS NULL
                       OR (coalesce(min(CASE WHEN v.told <> 0 OR coalesce(vs.dead, true) THEN 1 ELSE 0 END), 0) = 1
                           AND NOT EXISTS (SELECT 1 FROM dblock_session p
                                            WHERE p.host = l.host AND p.pid = l.pid AND NOT p.dead AND p.protocol > 0
                                              AND NOT EXISTS (SELECT 1 FROM dblock_revocation pv
                                                               WHERE pv.session = p.id AND pv.name = l.name
                                                                 AND (pv.token = l.token OR pv.nonce = l.nonce))))
                     THEN max(coalesce(vs.ttl, (SELECT max(a.ttl) FROM dblock_session a))) END
          FROM dblock_revocation v
          LEFT JOIN dblock_session vs ON vs.id = v.session
         WHERE v.name = l.name AND (v.token = l.token OR v.nonce = l.nonce)) AS watch,
       s.mark,
       EXISTS (SELECT 1 FROM dblock_queue f
                WHERE f.name = $1 AND f.token IS NULL AND f.ticket > l.served AND f.nonce <> $3
                  AND f.ticket < coalesce((SELECT max(w.ticket) FROM dblock_queue w WHERE w.name = $1 AND w.nonce = $3), 0)) AS ahead
  FROM (SELECT $boot AS now) c
  LEFT JOIN dblock_lock l ON l.name = $1
  LEFT JOIN dblock_session s ON s.id = l.session
