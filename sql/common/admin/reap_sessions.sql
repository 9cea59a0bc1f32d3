-- reap_sessions: a page, in order of id, of sessions that look expired, and of those for which the clock
-- does not tell, since it was set back, or is of another boot: a living one ends within its ttl from now.
-- With each comes since when the watcher has seen its beat unchanged, by its own clock, and how long ago
-- it noted that.
-- $1 only ids after this one  $2 at most so many  $3 watcher
SELECT s.id, s.beat, s.ttl, CASE WHEN s.clock = $clock THEN s.expires - $boot END AS session_left,
       k.since, $wall - k.noted AS noted_ago
  FROM dblock_session s
  LEFT JOIN dblock_suspect k ON k.session = s.id AND k.watcher = $3 AND k.beat = s.beat
 WHERE NOT s.dead AND s.id > $1
   AND (s.expires <= $boot OR s.expires > $boot + s.ttl OR s.clock <> $clock)
 ORDER BY s.id
 LIMIT $2
