-- branch_may: can this database have a branch? 0: the server keeps no prepared transactions.
SELECT current_setting('max_prepared_transactions')::bigint
