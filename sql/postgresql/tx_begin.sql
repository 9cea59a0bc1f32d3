-- tx_begin: begin a transaction; READ COMMITTED whatever the server's default is.
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE
