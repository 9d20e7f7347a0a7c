[(block) (declaration)] @fold
