-- tx_certified: 1 if what a transaction has only locked, and not changed, is locked on one node alone.
SELECT 0
