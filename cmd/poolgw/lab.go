package main

import "errors"

func labCommand(args []string) int { return failure(errors.New("not yet")) }
