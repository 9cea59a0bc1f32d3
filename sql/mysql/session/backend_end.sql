-- backend_end: end a connection of ours, so that nothing that it was sent is carried out any more.
-- $1 number
KILL $1
