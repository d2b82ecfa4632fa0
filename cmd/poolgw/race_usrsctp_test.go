//go:build race && usrsctp && cgo && linux

package main

func init() { raceDetector = true }
