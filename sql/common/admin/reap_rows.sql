-- reap_rows: the same for all names: end the grants of rows whose session is dead, or whose lease has
-- ended. Who waits for them is served when the lines are looked after.
DELETE FROM dblock_queue
 WHERE token IS NOT NULL
   AND ((expires <= $boot AND clock = $clock)
        OR (expires IS NULL
            AND EXISTS (SELECT 1 FROM dblock_session d
                         WHERE d.id = dblock_queue.session AND d.dead)))
