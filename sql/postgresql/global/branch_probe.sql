-- branch_probe: never sent: all tables keep transactions.
SELECT 0
