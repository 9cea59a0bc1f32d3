-- branch_warned: what the server says of that: level, number, words. 1196: a table was written that keeps no transactions.
SHOW WARNINGS
