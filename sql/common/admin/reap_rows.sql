-- reap_rows: end the grants of rows whose session is dead, or whose lease has ended, of all names. Those
-- who wait for them get on when the reaper advances their queues.
DELETE FROM dblock_queue
 WHERE token IS NOT NULL
   AND ((expires <= $boot AND clock = $clock)
        OR (expires IS NULL
            AND EXISTS (SELECT 1 FROM dblock_session d
                         WHERE d.id = dblock_queue.session AND d.dead)))
