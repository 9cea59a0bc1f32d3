DROP TABLE "data;";
DROP TABLE "odd;name";
DROP TABLE strings;
