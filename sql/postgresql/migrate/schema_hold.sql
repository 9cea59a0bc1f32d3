-- schema_hold: from here to the end of the transaction nobody takes, keeps or gives back a lock: so
-- whether somebody holds one can be asked, and stays true. Not waited for: all others would wait
-- behind it, heartbeats too.
LOCK TABLE dblock_lock, dblock_queue, dblock_session IN ACCESS EXCLUSIVE MODE NOWAIT
