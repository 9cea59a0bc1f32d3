-- fence_idle: a row if no transaction has locked this lock's row just now.
-- $1 name
SELECT 1 FROM dblock_lock l WHERE l.name = $1 FOR UPDATE SKIP LOCKED
