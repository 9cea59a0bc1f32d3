-- Who buys.
CREATE TABLE app_customer (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name VARCHAR(80) NOT NULL
);
