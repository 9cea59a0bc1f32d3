-- latch_look: a latch or a barrier as it is; and has a request counted it down in this generation?
-- $1 name  $2 pattern of the request
SELECT size, generation, count, passed, CASE WHEN counted LIKE $2 THEN 1 ELSE 0 END AS has_counted, why, since
  FROM dblock_latch
 WHERE name = $1
