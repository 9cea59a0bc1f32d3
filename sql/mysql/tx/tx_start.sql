-- tx_start: begin a transaction as the caller wants it. The words are replaced by READ COMMITTED,
-- REPEATABLE READ or SERIALIZABLE, and by WRITE or ONLY. The settings are for the next transaction and no
-- other.
SET TRANSACTION ISOLATION LEVEL :isolation, READ :access
-- step
START TRANSACTION
