-- reap_dead: a page, in order of id, of sessions that have been dead for a while and that no row names.
-- $1 only ids after this one  $2 dead for so many us  $3 at most so many
SELECT s.id
  FROM (SELECT $wall AS now) c
  JOIN dblock_session s ON s.dead AND s.ended <= c.now - $2
  LEFT JOIN (SELECT l.session FROM dblock_lock l WHERE l.session IS NOT NULL
             UNION SELECT w.session FROM dblock_queue w) held
    ON held.session = s.id
 WHERE held.session IS NULL AND s.id > $1
 ORDER BY s.id
 LIMIT $3
