-- fence_row_idle: a row if nobody has locked the file just now.
-- $1 name  $2 ticket
UPDATE dblock_queue SET token = token WHERE name = $1 AND ticket = $2 RETURNING 1
