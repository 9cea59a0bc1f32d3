-- row_end: end a row's grant that was seen unchanged for its whole length, or that is broken.
-- $1 name  $2 token  $3 expires as seen, or NULL
-- for the event: $4 kind  $5 host  $6 pid  $7 app of who does it
DELETE FROM dblock_queue
 WHERE name = $1 AND token = $2 AND (expires = $3 OR (expires IS NULL AND $3 IS NULL))
-- also
-- row_end: also the event of it
INSERT INTO dblock_event
  (at, kind, name, token, host, pid, app, session, by_host, by_pid, by_app, detail)
VALUES ($wall, $4, $1, $2, '', 0, '', '', $5, $6, $7, '')
