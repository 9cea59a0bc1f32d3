-- outbox_drop: a message is never to be delivered.
-- $1 topic  $2 shard  $3 key  $4 number
DELETE FROM dblock_outbox WHERE topic = $1 AND shard = $2 AND msg_key = $3 AND number = $4
-- and
-- outbox_drop: and: that it has failed is forgotten; but not that one before it has.
DELETE FROM dblock_outbox_failure WHERE topic = $1 AND shard = $2 AND msg_key = $3 AND number = $4
