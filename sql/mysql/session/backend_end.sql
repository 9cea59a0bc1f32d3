-- backend_end: end a connection of our own, so that nothing it was sent is carried out any more.
-- $1 number
KILL $1
