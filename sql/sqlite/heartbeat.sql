-- heartbeat: the session lives on for a ttl; a row, or none if it is dead. The row is four times the
-- database's time, and one more if a grant of this process is asked to let go (see requested), and two
-- more if one of this session's is taken away (see revocations).
-- $1 id  $2 beat, larger than any before: a copy that comes late must not bring back a beat that
-- somebody watches

UPDATE dblock_session SET beat = $2, expires = $boot + ttl, clock = $clock
 WHERE id = $1 AND NOT dead AND beat <= $2
RETURNING 4 * (expires - ttl)
          + 2 * EXISTS (SELECT 1 FROM dblock_revocation v WHERE v.session = dblock_session.id)
          + EXISTS (SELECT 1 FROM dblock_request r
                     WHERE r.host = dblock_session.host AND r.pid = dblock_session.pid) AS now
