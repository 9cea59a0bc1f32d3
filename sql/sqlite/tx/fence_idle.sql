-- fence_idle: a row if nobody has locked the file just now.
-- $1 name
UPDATE dblock_lock SET token = token WHERE name = $1 RETURNING 1
