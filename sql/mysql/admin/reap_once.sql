-- reap_once: delete the marks of slots that were done long ago. NOW() is when the statement began:
-- SYSDATE() differs for each row, so no index could be used.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_once
 WHERE marked <= CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) - $1
 ORDER BY marked
 LIMIT $2
