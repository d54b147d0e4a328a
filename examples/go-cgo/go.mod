module example/words

go 1.19
