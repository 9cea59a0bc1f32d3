-- atlas:txmode none
VACUUM;
