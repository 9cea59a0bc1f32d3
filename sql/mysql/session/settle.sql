-- settle: nothing to do, as the server's own setting decides how durable commits are.
DO 0
