DROP TABLE account;
DROP TABLE account_log;
