-- schema_hold: until the end of the transaction nobody takes, renews or gives back a lock: so whether
-- somebody holds one can be asked, and the answer stays true. It does not wait: all others would wait
-- behind it, heartbeats too.
LOCK TABLE dblock_lock, dblock_queue, dblock_session IN ACCESS EXCLUSIVE MODE NOWAIT
