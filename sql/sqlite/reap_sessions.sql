-- reap_sessions: sessions that look expired, or whose clock is not ours, a page in order of id.
-- $1 only ids after this one  $2 at most so many
SELECT id, beat, ttl, CASE WHEN clock = $clock THEN expires - $boot END AS session_left
  FROM dblock_session
 WHERE NOT dead AND id > $1 AND (expires <= $boot OR clock <> $clock)
 ORDER BY id
 LIMIT $2
