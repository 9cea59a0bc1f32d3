DROP TABLE account, account_log;
DROP FUNCTION log_account();
