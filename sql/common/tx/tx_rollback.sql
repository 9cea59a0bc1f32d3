-- tx_rollback: roll the transaction back.
ROLLBACK
