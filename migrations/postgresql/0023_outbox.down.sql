-- No message is had any more, and what has yet to be delivered is lost.
DROP TABLE IF EXISTS dblock_inbox;
DROP TABLE IF EXISTS dblock_outbox_failure;
DROP TABLE IF EXISTS dblock_outbox;
DROP TABLE IF EXISTS dblock_outbox_key;
