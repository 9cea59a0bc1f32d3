-- latch_open: make a latch or a barrier of this name, unless there is one. Its first generation's number is even, and
-- comes from the clock, so that no generation of one that was deleted had it.
-- $1 name  $2 size
INSERT INTO dblock_latch (name, size, generation, count, passed, counted, why, since)
VALUES ($1, $2, 2 * $wall, $2, 0, ' ', '', $wall)
ON CONFLICT (name) DO NOTHING
