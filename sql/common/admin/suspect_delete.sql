-- suspect_delete: forget that this watcher has seen the session with that beat.
-- $1 session  $2 watcher  $3 beat
DELETE FROM dblock_suspect WHERE session = $1 AND watcher = $2 AND beat = $3
