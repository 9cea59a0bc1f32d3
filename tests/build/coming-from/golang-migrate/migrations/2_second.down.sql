DROP TABLE second;
