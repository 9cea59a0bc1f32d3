-- heartbeat: keep the session alive for another ttl; a row, or none if it is dead, or has not the beat $3.
-- The row is four times the database's time, plus 1 if somebody asks for a grant of this process (see
-- requested), plus 2 if one of this session's, or a lease of this process, is being taken away (see
-- revocations).
-- $1 id  $2 beat, larger than any before, and drawn: nobody else writes it  $3 the beat that is there
-- An older copy of the database, or one in which another copy of this process goes on, has another beat.
-- Nor does a late copy of a heartbeat bring back a beat that somebody watches.

UPDATE dblock_session
   SET beat = $2,
       expires = LAST_INSERT_ID(4 * CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
                                + 2 * EXISTS (SELECT 1 FROM dblock_revocation v
                                              WHERE v.session = dblock_session.id
                                                 OR EXISTS (SELECT 1 FROM dblock_lock l
                                                             WHERE l.name = v.name AND l.expires IS NOT NULL
                                                               AND l.host = dblock_session.host AND l.pid = dblock_session.pid)
                                                 OR EXISTS (SELECT 1 FROM dblock_queue q
                                                             WHERE q.name = v.name AND q.token IS NOT NULL AND q.expires IS NOT NULL
                                                               AND q.host = dblock_session.host AND q.pid = dblock_session.pid))
                                + EXISTS (SELECT 1 FROM dblock_request r
                                           WHERE r.host = dblock_session.host
                                             AND r.pid = dblock_session.pid)) DIV 4 + ttl
 WHERE id = $1 AND NOT dead AND beat IN ($2, $3)
