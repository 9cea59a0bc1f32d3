-- tx_commit: commit the transaction.
COMMIT
