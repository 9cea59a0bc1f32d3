-- ring_stop: interrupt a statement: the sleep of a doorbell, as ring has just seen it. The number
-- belongs to that connection as long as the server runs; once it is awake nothing else is hurt than
-- what it reads then, and reads again.
-- $1 number
KILL QUERY $1
