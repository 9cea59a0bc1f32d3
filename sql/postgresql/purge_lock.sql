-- purge_lock: from here to the end of the transaction nobody writes a lock. So no acquire is under way
-- that read the floor before it is raised, and would add a deleted name with it. (A statement locks
-- its tables before it takes its snapshot.) If somebody writes for long, or if we stand still: later.
SET LOCAL lock_timeout = '50ms'
-- step
SET LOCAL idle_in_transaction_session_timeout = '2s'
-- step
LOCK TABLE ONLY dblock_lock IN SHARE ROW EXCLUSIVE MODE
