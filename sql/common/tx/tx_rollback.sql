-- tx_rollback: end the transaction: nothing that it wrote ever was.
ROLLBACK
