DROP TABLE by_one, "by_two;";
DROP TYPE "state;";
