-- tx_begin: begin a transaction; READ COMMITTED was set when the connection was opened.
START TRANSACTION READ WRITE
