-- doorbell_apart: for a connection to a node of Galera that only looks, again and again, what has been
-- granted: it need not wait for what the other nodes have done (see setup).
/*M! SET SESSION wsrep_sync_wait = 0 */ /*!80000 DO 0 */ -- MariaDB, MySQL
