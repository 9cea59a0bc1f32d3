-- reap_waiters: delete from the lines who is dead; and who joined long ago by a session that is not there
-- (after a failover that lost commits). A living one that this hits joins anew: it loses no more than
-- its place.
-- $1 long ago: so many us
DELETE FROM dblock_queue
 WHERE token IS NULL
   AND (session IN (SELECT s.id FROM dblock_session s WHERE s.dead)
        OR (since <= $wall - $1
            AND session NOT IN (SELECT s.id FROM dblock_session s)))
