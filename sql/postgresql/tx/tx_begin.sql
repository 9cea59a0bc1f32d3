-- tx_begin: begin a transaction; READ COMMITTED whatever the server's default is. That it may write,
-- too, was set when the connection was opened: a standby refuses to hear of it here.
BEGIN ISOLATION LEVEL READ COMMITTED
