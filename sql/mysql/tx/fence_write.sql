-- fence_write: after fence_update, where a lock on the row would not do: change it. A takeover on another
-- node of Galera changes it as well, and of the two the one that commits second is rolled back; and what a
-- branch of an XA transaction has changed stays locked when that is prepared.
-- $1 name  $2 token  $3 nonce
UPDATE dblock_lock SET fenced = fenced + 1 WHERE name = $1 AND token = $2 AND nonce = $3
