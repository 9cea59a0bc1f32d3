-- tx_undo: something failed: go back to the savepoint; the transaction stays open.
ROLLBACK TO SAVEPOINT guard_of_dblock
-- step
RELEASE SAVEPOINT guard_of_dblock
