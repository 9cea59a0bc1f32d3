-- tx_leave: nothing to put back.
SELECT 1
