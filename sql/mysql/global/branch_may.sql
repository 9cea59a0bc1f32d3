-- branch_may: can this database have a branch? 0: before MySQL 8.0.30 a crash may leave a server that has a binary log
-- without a transaction that it had prepared ("Restrictions on XA Transactions" in its manual).
SELECT GREATEST(/*M! 1 */ /*!80000 VERSION() NOT REGEXP '^8[.]0[.][12]?[0-9]([^0-9]|$)' */, @@GLOBAL.log_bin = 0)
