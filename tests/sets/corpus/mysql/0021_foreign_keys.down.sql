DROP TABLE child;
DROP TABLE parent;
