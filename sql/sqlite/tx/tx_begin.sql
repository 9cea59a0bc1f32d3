-- tx_begin: begin a transaction that may write: no other writer until it ends.
BEGIN IMMEDIATE
