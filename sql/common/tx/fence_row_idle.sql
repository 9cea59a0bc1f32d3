-- fence_row_idle: a row if no transaction has locked this row of dblock_queue just now.
-- $1 name  $2 ticket
SELECT 1 FROM dblock_queue q WHERE q.name = $1 AND q.ticket = $2 FOR UPDATE SKIP LOCKED
