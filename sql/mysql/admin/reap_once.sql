-- reap_once: forget slots that were done long ago.
-- NOW(), when the statement began: by SYSDATE(), which is another for each row, no index is read.
-- $1 so many us  $2 at most so many
DELETE FROM dblock_once
 WHERE marked <= CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED) - $1
 ORDER BY marked
 LIMIT $2
