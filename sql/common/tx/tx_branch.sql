-- tx_branch: never sent, as row locks outlast a PREPARE TRANSACTION here, or there is none.
SELECT 0
