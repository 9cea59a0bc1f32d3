DROP TABLE strings;
