-- fence_row_share: as fence_share, for a grant that has a row in dblock_queue: shared, update, permits.
-- $1 name  $2 ticket
SELECT token, nonce FROM dblock_queue WHERE name = $1 AND ticket = $2 AND token IS NOT NULL
   /*M! LOCK IN SHARE MODE SKIP LOCKED */ /*!80000 FOR SHARE SKIP LOCKED */ -- MariaDB, MySQL
