-- tx_keep: nothing failed: what was done since the guard belongs to the transaction.
RELEASE SAVEPOINT guard_of_dblock
