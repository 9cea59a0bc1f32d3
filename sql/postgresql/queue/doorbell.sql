-- doorbell: listen on this client's channel, until the connection ends.
LISTEN "dblock_{channel}"
