-- tx_begin: begin a transaction; its isolation, READ COMMITTED, was set when the connection was
-- opened.
START TRANSACTION READ WRITE
