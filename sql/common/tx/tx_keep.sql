-- tx_keep: nothing failed: release the savepoint, so that its work is the transaction's.
RELEASE SAVEPOINT guard_of_dblock
