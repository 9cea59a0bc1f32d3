-- tx_commit: end the transaction: all that it wrote is there from now on.
COMMIT
