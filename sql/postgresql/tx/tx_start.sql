-- tx_start: begin a transaction as the caller wants it. The words are replaced by READ COMMITTED,
-- REPEATABLE READ or SERIALIZABLE, and by WRITE or ONLY.
BEGIN ISOLATION LEVEL :isolation READ :access
