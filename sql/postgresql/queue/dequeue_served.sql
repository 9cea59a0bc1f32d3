-- dequeue_served: delete what is left of waits that came to their end.
-- $1 own session
-- Nobody waits until it is on the disk: what comes back after a crash is deleted by reconcile, or reap.
DELETE FROM dblock_queue
 WHERE session = $1::text
   AND token IS NULL
   AND EXISTS (SELECT 1 FROM dblock_lock l
                WHERE l.name = dblock_queue.name AND l.served >= dblock_queue.ticket)
   AND set_config('synchronous_commit', 'off', true) = 'off'
