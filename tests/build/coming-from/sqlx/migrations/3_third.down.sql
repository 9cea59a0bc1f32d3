DROP TABLE third;
