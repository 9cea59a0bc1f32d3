-- Take the locks away, with their fencing tokens: what guards by token must start afresh.
DROP TABLE IF EXISTS dblock_lock;
