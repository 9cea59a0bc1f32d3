-- Those who wait stand in dblock_queue now.
DROP TABLE IF EXISTS dblock_waiter;
