-- fence_row_idle: a row if nobody has that row of the line locked just now.
-- $1 name  $2 ticket
SELECT 1 FROM dblock_queue q WHERE q.name = $1 AND q.ticket = $2 FOR UPDATE SKIP LOCKED
