package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// newFileMode is for files that weren't there: they may hold password hashes.
const newFileMode = 0o640

// SaveFile replaces the file at path by data, or leaves it as it is: the data go
// to a new file beside it, to the disk, and then into its place. The file keeps
// its mode and owner. A link is followed, and stays.
func SaveFile(path string, data []byte) error {
	return saveFile(path, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

func saveFile(path string, write func(f *os.File) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	defer root.Close()
	return saveIn(root, filepath.Base(path), write)
}

// SaveBelow is SaveFile for a path that a VTY user typed: it is taken to be
// below dir, and neither it nor any folder on the way may be a link. It returns
// the path written.
func SaveBelow(dir, path string, data []byte) (string, error) {
	rel, err := below(dir, path)
	if err != nil {
		return "", err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", fmt.Errorf("config: %w", err)
	}
	defer root.Close()
	if err := noLinks(root, rel); err != nil {
		return "", err
	}
	err = saveIn(root, rel, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
	return filepath.Join(dir, rel), err
}

// below returns path relative to dir.
func below(dir, path string) (string, error) {
	if filepath.IsAbs(path) {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("config: %w", err)
		}
		if path, err = filepath.Rel(abs, path); err != nil {
			return "", fmt.Errorf("config: %w", err)
		}
	}
	path = filepath.Clean(path)
	if !filepath.IsLocal(path) || path == "." {
		return "", fmt.Errorf("%s is not below the folder of the configuration, %s", path, dir)
	}
	return path, nil
}

func noLinks(root *os.Root, rel string) error {
	parts := strings.Split(rel, string(filepath.Separator))
	for i := range parts {
		name := filepath.Join(parts[:i+1]...)
		st, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i == len(parts)-1:
			return nil
		case err != nil:
			return fmt.Errorf("config: %w", err)
		case st.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link", name)
		}
	}
	return nil
}

// saveIn writes the file called name below root.
func saveIn(root *os.Root, name string, write func(f *os.File) error) error {
	old, statErr := root.Stat(name)
	if statErr == nil && !old.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	tmp := fmt.Sprintf("%s.%d.tmp", name, os.Getpid())
	root.Remove(tmp) // of a process that had our number and was killed
	if err := fill(root, tmp, old, write); err != nil {
		root.Remove(tmp)
		return fmt.Errorf("%w; %s is as it was", unwrapPath(err), name)
	}
	if err := root.Rename(tmp, name); err != nil {
		root.Remove(tmp)
		return fmt.Errorf("%w; %s is as it was", unwrapPath(err), name)
	}
	return syncDir(root, filepath.Dir(name))
}

// unwrapPath drops the temporary name from a message.
func unwrapPath(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// fill makes the file tmp with old's mode and owner and brings it to the disk.
func fill(root *os.Root, tmp string, old fs.FileInfo, write func(f *os.File) error) (err error) {
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newFileMode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := write(f); err != nil {
		return err
	}
	if old != nil {
		if err := likeOld(f, old); err != nil {
			return err
		}
	}
	return f.Sync()
}

// syncDir makes the new name survive a crash.
func syncDir(root *os.Root, name string) error {
	d, err := root.Open(name)
	if err != nil {
		return nil // written all the same
	}
	defer d.Close()
	d.Sync()
	return nil
}
