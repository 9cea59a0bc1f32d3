-- ticket_set: give a wait for several names one ticket in all their queues: the last that was drawn.
-- Otherwise each of two such waits might be before the other somewhere.
-- $1 name  $2 nonce  $3 ticket
UPDATE dblock_queue SET ticket = $3 WHERE name = $1 AND nonce = $2
