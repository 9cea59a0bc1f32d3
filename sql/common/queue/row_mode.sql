-- row_mode: weaken the mode of a row's grant. A late copy finds another mode, and changes nothing.
-- $1 name  $2 token  $3 nonce  $4 mode  $5 mode as it was
UPDATE dblock_queue SET mode = $4
 WHERE name = $1 AND token = $2 AND nonce = $3 AND mode = $5
   AND (expires IS NULL OR expires > $boot OR clock <> $clock)
