-- Take the lines away: who waits notices, and tries again without a place in line.
DROP TABLE IF EXISTS dblock_waiter;
