-- granted: what this session's waits have been granted, unless the session is dead: then its grants may
-- be taken. Instead of the token of a row that holds a lock alone 1: look; see advance.c.
-- $1 own session
SELECT w.nonce, l.token
  FROM dblock_queue w
  JOIN dblock_session s ON s.id = w.session AND NOT s.dead
  JOIN dblock_lock l ON l.name = w.name AND l.nonce = w.nonce
 WHERE w.session = $1
UNION ALL
SELECT r.nonce, CASE WHEN r.mode = 0 AND r.upgrades IS NULL THEN 1 ELSE r.token END
  FROM dblock_queue r
  JOIN dblock_session m ON m.id = r.session AND NOT m.dead
 WHERE r.session = $1 AND r.token IS NOT NULL
