-- reap_latches: delete latches and barriers that have not changed for long, and that nobody waits at. NOW() is when the
-- statement began: SYSDATE() differs for each row, so no index could be used.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_latch
 WHERE since <= CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) - $1
   AND NOT EXISTS (SELECT 1 FROM dblock_queue q WHERE q.name = dblock_latch.name)
 ORDER BY since
 LIMIT $2
