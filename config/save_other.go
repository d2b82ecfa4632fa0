//go:build !unix

package config

import (
	"io/fs"
	"os"
)

// likeOld gives f the mode of the file that it replaces.
func likeOld(f *os.File, old fs.FileInfo) error { return f.Chmod(old.Mode().Perm()) }
