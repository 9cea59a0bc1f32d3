-- events: a page of what happened, the newest first.
-- $1 only before this id  $2 only after this id  $3 only in the last so many us  $4 at most so many
SELECT e.id, e.at, e.kind, e.name, e.token, e.host, e.pid, e.app, e.session, e.by_host, e.by_pid, e.by_app,
       e.detail, $wall AS now
  FROM dblock_event e
 WHERE e.id < $1 AND e.id > $2 AND e.at >= $wall - $3
 ORDER BY e.id DESC
 LIMIT $4
