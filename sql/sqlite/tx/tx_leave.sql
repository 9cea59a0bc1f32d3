-- tx_leave: there is nothing to undo.
SELECT 1
