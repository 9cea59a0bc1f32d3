-- latch_down: count down, never below 0, unless this request has done so, or another generation has begun.
-- $1 name  $2 generation  $3 by so many  $4 the request and a blank  $5 pattern of it
UPDATE dblock_latch
   SET counted = counted || $4,
       passed = CASE WHEN count <= $3 THEN generation ELSE passed END,
       count = CASE WHEN count <= $3 THEN 0 ELSE count - $3 END,
       since = $wall
 WHERE name = $1 AND generation = $2 AND count > 0 AND counted NOT LIKE $5
