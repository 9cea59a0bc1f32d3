-- decision_durable: the open transaction's commit reaches the disk, if the server lets any (doctor says so). 1: it does.
SELECT 1
