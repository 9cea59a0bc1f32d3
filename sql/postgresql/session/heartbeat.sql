-- heartbeat: the session lives on for a ttl; a row, or none if it is dead. The row is four times the
-- database's time, and one more if a grant of this process is asked to let go (see requested), and two
-- more if one of this session's, or a lease of this process, is taken away (see revocations).
-- $1 id  $2 beat, larger than any before: a copy that comes late must not bring back a beat that
-- somebody watches

UPDATE dblock_session s SET beat = $2::bigint, expires = (extract(epoch FROM clock_timestamp()) * 1000000)::bigint + s.ttl
 WHERE s.id = $1::text AND NOT s.dead AND s.beat <= $2::bigint
RETURNING 4 * (s.expires - s.ttl)
          + 2 * EXISTS (SELECT 1 FROM dblock_revocation v
                         WHERE v.session = s.id
                            OR EXISTS (SELECT 1 FROM dblock_lock l
                                        WHERE l.name = v.name AND l.expires IS NOT NULL
                                          AND l.host = s.host AND l.pid = s.pid)
                            OR EXISTS (SELECT 1 FROM dblock_queue q
                                        WHERE q.name = v.name AND q.token IS NOT NULL AND q.expires IS NOT NULL
                                          AND q.host = s.host AND q.pid = s.pid))::int
          + EXISTS (SELECT 1 FROM dblock_request r WHERE r.host = s.host AND r.pid = s.pid)::int AS now
