-- once_find: was this slot of the job done, and by whom?
-- $1 name  $2 slot
SELECT token, host, pid, marked
  FROM dblock_once
 WHERE name = $1 AND slot = $2
