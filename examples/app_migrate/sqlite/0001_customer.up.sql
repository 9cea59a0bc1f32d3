-- Who buys.
CREATE TABLE app_customer (
	id   INTEGER PRIMARY KEY,
	name VARCHAR(80) NOT NULL
);
