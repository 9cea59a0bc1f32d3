-- tx_start: begin a transaction of the caller's: who writes has the file from the start (else two
-- readers that come to write would shut each other out), and every one is serializable. The word
-- stands for IMMEDIATE or DEFERRED.
BEGIN :begin
