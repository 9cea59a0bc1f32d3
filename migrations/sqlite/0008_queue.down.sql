-- Take the queues away, and with them all that is held by several, or waited for.
DROP TABLE IF EXISTS dblock_queue;
