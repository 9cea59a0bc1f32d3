-- bell_sleepers: who has said with his grant of this name, shared or a permit, where he is to be told: what he has said.
-- $1 name
SELECT q.value FROM dblock_queue q WHERE q.name = $1 AND q.token IS NOT NULL AND q.mode IN (1, 3)
