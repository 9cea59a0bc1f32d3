-- outbox_retry: keys are to be tried again at once, parked or not, as if nothing had failed.
-- $1 topic  $2 key, or empty: all of them
DELETE FROM dblock_outbox_failure WHERE topic = $1 AND (msg_key = $2 OR $2 = '')
