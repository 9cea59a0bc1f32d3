-- bell_sleepers: who has said with his shared grant of this name where he is to be told: what he has said.
-- $1 name
SELECT q.value FROM dblock_queue q WHERE q.name = $1 AND q.token IS NOT NULL AND q.mode = 1
