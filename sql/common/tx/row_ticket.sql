-- row_ticket: the key of the row that carries a grant.
-- $1 name  $2 nonce
SELECT q.ticket FROM dblock_queue q WHERE q.name = $1 AND q.nonce = $2 AND q.token IS NOT NULL
