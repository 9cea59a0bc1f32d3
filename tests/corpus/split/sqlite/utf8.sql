CREATE TABLE größe ("日本;" TEXT); INSERT INTO größe VALUES ('😀;'); SELECT * FROM größe;
