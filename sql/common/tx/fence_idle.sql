-- fence_idle: a row if nobody has that lock's row locked just now.
-- $1 name
SELECT 1 FROM dblock_lock l WHERE l.name = $1 FOR UPDATE SKIP LOCKED
