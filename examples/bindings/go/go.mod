module example.org/dblock

go 1.19
