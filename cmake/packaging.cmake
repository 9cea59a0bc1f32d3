# install, pkg-config, find_package(dblock)
