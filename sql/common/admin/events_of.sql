-- events_of: a page of what happened to one lock, the newest first.
-- $1 name  $2 only before this id  $3 only after this id  $4 only in the last so many us  $5 at most so many
SELECT e.id, e.at, e.kind, e.name, e.token, e.host, e.pid, e.app, e.session, e.by_host, e.by_pid, e.by_app,
       e.detail, $wall AS now
  FROM dblock_event e
 WHERE e.name = $1 AND e.id < $2 AND e.id > $3 AND e.at >= $wall - $4
 ORDER BY e.id DESC
 LIMIT $5
