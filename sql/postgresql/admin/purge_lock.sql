-- purge_lock: nobody is under way any more who adds a name and has read the floor before it was raised: who
-- writes a lock has its table locked before his statement takes its snapshot, and here all of them are waited
-- for. If one takes long, or if we stand still: later.
SET LOCAL lock_timeout = '50ms'
-- step
SET LOCAL idle_in_transaction_session_timeout = '2s'
-- step
LOCK TABLE ONLY dblock_lock IN SHARE ROW EXCLUSIVE MODE
