-- purge_lock: wait for all who have read the old floor and are inserting a name. A statement that writes
-- a lock has locked the table before it takes its snapshot, and this lock waits for all of those. If one
-- takes long, or if we are stopped, the purge is put off.
SET LOCAL lock_timeout = '50ms'
-- step
SET LOCAL idle_in_transaction_session_timeout = '2s'
-- step
LOCK TABLE ONLY dblock_lock IN SHARE ROW EXCLUSIVE MODE
