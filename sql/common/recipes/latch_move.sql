-- latch_move: end a generation, and begin another one, unless somebody has done so.
-- $1 name  $2 its generation  $3 the next one  $4 size of that  $5 the one that passed, or 0: as before  $6 why
UPDATE dblock_latch
   SET generation = $3, size = $4, count = $4, passed = CASE WHEN $5 > passed THEN $5 ELSE passed END,
       counted = ' ', why = $6, since = $wall
 WHERE name = $1 AND generation = $2
