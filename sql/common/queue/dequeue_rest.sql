-- dequeue_rest: a wait for any one of several names has been granted one, in the same transaction: its places in
-- the queues of the others are over.
-- $1 session  $2 thread  $3 nonce
DELETE FROM dblock_queue
 WHERE session = $1 AND thread = $2 AND nonce = $3 AND token IS NULL
