-- reap_sessions: sessions that look expired, a page in order of id; and those of which the clock, since it
-- was set back, does not tell: who beats ends within its ttl from now. And since when the watcher has seen
-- them so, by its clock, and how long ago that was noted.
-- $1 only ids after this one  $2 at most so many  $3 watcher
SELECT s.id, s.beat, s.ttl, s.expires - c.now AS session_left, k.since, c.now - k.noted AS noted_ago
  FROM (SELECT $wall AS now) c
  JOIN dblock_session s ON s.expires <= c.now OR s.expires > c.now + s.ttl
  LEFT JOIN dblock_suspect k ON k.session = s.id AND k.watcher = $3 AND k.beat = s.beat
 WHERE NOT s.dead AND s.id > $1
 ORDER BY s.id
 LIMIT $2
