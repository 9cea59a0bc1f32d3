-- tx_start: begin a transaction of the caller's, as he asks for it. The words stand for one of
-- READ COMMITTED, REPEATABLE READ, SERIALIZABLE, and of WRITE, ONLY.
BEGIN ISOLATION LEVEL :isolation READ :access
