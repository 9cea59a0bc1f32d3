-- Who waits with a priority waits at his ticket; stored capacities, pools, rates and latches are forgotten.
DROP TABLE IF EXISTS dblock_latch;
DROP TABLE IF EXISTS dblock_rate;
DROP TABLE IF EXISTS dblock_permit;
DROP TABLE IF EXISTS dblock_pool;
ALTER TABLE dblock_queue DROP COLUMN IF EXISTS priority;
ALTER TABLE dblock_lock DROP COLUMN IF EXISTS ranked;
ALTER TABLE dblock_lock DROP COLUMN IF EXISTS capacity;
