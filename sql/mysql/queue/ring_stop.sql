-- ring_stop: interrupt the sleep on a channel that ring has just seen. The number is that connection's as
-- long as the server runs; if it is awake by now, this hits only what it reads then, and reads again.
-- $1 number
KILL QUERY $1
