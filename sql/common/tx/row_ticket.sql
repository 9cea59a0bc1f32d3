-- row_ticket: the ticket, which is the key, of the row with this grant.
-- $1 name  $2 nonce
SELECT q.ticket FROM dblock_queue q WHERE q.name = $1 AND q.nonce = $2 AND q.token IS NOT NULL
