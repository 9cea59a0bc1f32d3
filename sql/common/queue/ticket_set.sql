-- ticket_set: a wait for several names stands at one place in all their lines: the last that was drawn.
-- Else of two such waits each might stand before the other somewhere.
-- $1 name  $2 nonce  $3 ticket
UPDATE dblock_queue SET ticket = $3 WHERE name = $1 AND nonce = $2
