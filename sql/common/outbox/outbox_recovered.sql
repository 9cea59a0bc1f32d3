-- outbox_recovered: a message that had failed was delivered, or is not to be.
-- $1 topic  $2 key  $3 number
DELETE FROM dblock_outbox_failure WHERE topic = $1 AND msg_key = $2 AND number <= $3
