-- reap_event: write down what reap_free is about to free, for a range of names; of many only some, so that
-- they do not drive out all else.
-- $1 names from this one  $2 up to this one  $3 host  $4 pid  $5 app of the reaper  $6 at most so many
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
SELECT $wall, CASE WHEN l.expires IS NULL THEN 7 ELSE 4 END, l.name, l.token, l.host, l.pid,
       coalesce((SELECT s.app FROM dblock_session s WHERE s.id = l.session), ''),
       coalesce(l.session, ''), $3, $4, $5,
       CASE WHEN l.expires IS NULL THEN 'its session was dead' ELSE '' END
  FROM dblock_lock l
 WHERE l.name >= $1 AND l.name <= $2 AND NOT l.queued AND l.nonce <> 0
   AND ((l.expires <= $boot AND l.clock = $clock)
        OR EXISTS (SELECT 1 FROM dblock_session d WHERE d.id = l.session AND d.dead))
 ORDER BY l.name
 LIMIT $6
