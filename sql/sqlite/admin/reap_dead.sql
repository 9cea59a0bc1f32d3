-- reap_dead: a page, in order of id, of sessions that have been dead for a while and that no row names.
-- $1 only ids after this one  $2 dead for so many us  $3 at most so many
SELECT s.id
  FROM dblock_session s
 WHERE s.dead AND s.id > $1 AND s.ended <= $wall - $2
   AND s.id NOT IN (SELECT l.session FROM dblock_lock l WHERE l.session IS NOT NULL)
   AND s.id NOT IN (SELECT w.session FROM dblock_queue w)
 ORDER BY s.id
 LIMIT $3
