-- tx_branch: no effect: the error tells whether the open transaction is a branch of an XA transaction. In one,
-- the name is not its own (1397); else there is none that could be ended (1399).
XA END 'is this a branch of dblock?'
