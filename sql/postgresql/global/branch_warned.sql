-- branch_warned: never sent: all tables keep transactions.
SELECT '', 0, '' WHERE false
