-- reap_waiters: delete from the lines who is dead.
DELETE FROM dblock_waiter
 WHERE session IN (SELECT s.id FROM dblock_session s WHERE s.dead)
