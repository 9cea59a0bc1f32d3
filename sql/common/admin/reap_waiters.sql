-- reap_waiters: delete waits of dead sessions; and old waits of sessions that do not exist (after a
-- failover that lost commits). A living waiter that this hits joins again, and only loses its position.
-- $1 how old, in us
DELETE FROM dblock_queue
 WHERE token IS NULL
   AND (session IN (SELECT s.id FROM dblock_session s WHERE s.dead)
        OR (since <= $wall - $1
            AND session NOT IN (SELECT s.id FROM dblock_session s)))
