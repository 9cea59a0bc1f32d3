-- rate_list: a page of rates, in byte order: name, counter in ns, when that was, the last take's rate, period in ms and
-- burst, and the time now.
-- $1 names after this one  $2 at most so many
SELECT r.name, r.level, r.taken_at, r.rate, r.period_ms, r.burst, $wall
  FROM dblock_rate r
 WHERE r.name > $1
 ORDER BY r.name
 LIMIT $2
