-- batch: never sent, as requests run one by one here, in one transaction.
SELECT 0, 0, 0 WHERE 0
