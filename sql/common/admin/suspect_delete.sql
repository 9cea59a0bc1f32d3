-- suspect_delete: forget with which heartbeat it was seen.
-- $1 session  $2 watcher  $3 beat
DELETE FROM dblock_suspect WHERE session = $1 AND watcher = $2 AND beat = $3
