DROP EVENT simple;
DROP EVENT yearly;
