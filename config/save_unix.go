//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// likeOld gives f the mode and, where we may, the owner of the file that it
// replaces.
func likeOld(f *os.File, old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		f.Chown(int(st.Uid), int(st.Gid)) // only root may; the mode counts
	}
	return f.Chmod(old.Mode().Perm())
}
