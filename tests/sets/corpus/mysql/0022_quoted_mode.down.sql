DROP TABLE `quoted;`;
