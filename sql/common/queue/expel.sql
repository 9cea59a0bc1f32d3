-- expel: end the grants of rows whose session is dead, or whose lease has ended.
-- $1 name
DELETE FROM dblock_queue
 WHERE name = $1 AND token IS NOT NULL
   AND ((expires <= $boot AND clock = $clock)
        OR (expires IS NULL
            AND (SELECT d.dead FROM dblock_session d WHERE d.id = dblock_queue.session)))
