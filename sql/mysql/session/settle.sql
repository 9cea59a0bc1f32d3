-- settle: how durable commits are is a setting of the server's: there is nothing to be done.
DO 0
