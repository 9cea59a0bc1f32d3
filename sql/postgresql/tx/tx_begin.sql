-- tx_begin: begin a transaction, READ COMMITTED whatever the server's default is. READ WRITE was set when
-- the connection was opened, as a standby refuses it here.
BEGIN ISOLATION LEVEL READ COMMITTED
