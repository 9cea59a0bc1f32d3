-- dequeue_served: delete what is left of this session's waits that are over.
-- $1 own session
DELETE FROM dblock_queue
 WHERE session = $1
   AND token IS NULL
   AND EXISTS (SELECT 1 FROM dblock_lock l
                WHERE l.name = dblock_queue.name AND l.served >= dblock_queue.ticket)
