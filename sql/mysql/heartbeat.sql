-- heartbeat: the session lives on for a ttl; a row, or none if it is dead. The row is twice the
-- database's time, and one more if a grant of this process is asked to let go (see requested).
-- $1 id  $2 beat, larger than any before: a copy that comes late must not bring back a beat that
-- somebody watches

UPDATE dblock_session
   SET beat = $2,
       expires = LAST_INSERT_ID(2 * CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                                + EXISTS (SELECT 1 FROM dblock_request r
                                           WHERE r.host = dblock_session.host
                                             AND r.pid = dblock_session.pid)) DIV 2 + ttl
 WHERE id = $1 AND NOT dead AND beat <= $2
