-- tx_look: nothing; its answer tells whether a transaction is open.
SELECT 1
