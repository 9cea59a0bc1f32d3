-- tx_start: begin a transaction of the caller's: one that writes has the file from the start (else two
-- readers that begin to write would block each other), and each is serializable. The word is replaced by
-- IMMEDIATE or DEFERRED.
BEGIN :begin
