//go:build !linux

package lab

import "os/exec"

func ownGroup(*exec.Cmd) {}
