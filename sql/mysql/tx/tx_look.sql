-- tx_look: no effect; the answer tells whether a transaction is open.
DO 0
