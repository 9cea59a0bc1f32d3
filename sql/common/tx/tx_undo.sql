-- tx_undo: something failed: the transaction is as it was, and open.
ROLLBACK TO SAVEPOINT guard_of_dblock
-- step
RELEASE SAVEPOINT guard_of_dblock
