DROP TABLE fourth;
