-- doorbell: hear what is rung on this client's channel, on this connection, until it ends.
LISTEN "dblock_{channel}"
