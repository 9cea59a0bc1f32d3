-- fence_row_idle: a row if nobody has that row of the line locked just now.
-- $1 name  $2 ticket
SELECT 1 FROM dblock_queue WHERE name = $1 AND ticket = $2 FOR UPDATE SKIP LOCKED
