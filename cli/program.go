package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"poolgw/config"
	"poolgw/vty"
)

// Program returns what the VTY's built-in commands ask of poolgw.
func Program(env Env) vty.Program { return vtyProgram{newProgram(env)} }

// vtyProgram keeps the method names of vty.Program apart from Env's fields.
type vtyProgram struct{ *program }

func (p vtyProgram) Name() string { return config.DefaultHostname }

func (p vtyProgram) Version() string {
	return fmt.Sprintf("PoolGW version %s\nLicensed under the Apache License, Version 2.0.", p.Env.Version)
}

var errNoStore = errors.New("there is no configuration here")

func (p vtyProgram) RunningConfig(w io.Writer) error {
	if p.Store == nil {
		return errNoStore
	}
	return WriteConfig(w, p.Store.Current())
}

func (p vtyProgram) StartupConfig(w io.Writer) error {
	if p.Path == "" {
		return errNoFile
	}
	f, err := os.Open(p.Path)
	if err != nil {
		return fmt.Errorf("can't open configuration file [%s]: %w", p.Path, unwrapPath(err))
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

var errNoFile = errors.New("poolgw was started without a configuration file")

// Save writes the running configuration: to the file that it came from, or to
// path, which is below that file's folder. What would keep the file from being
// started with is refused unless force.
func (p vtyProgram) Save(path string, force bool) (string, error) {
	switch {
	case p.Store == nil:
		return "", errNoStore
	case p.Path == "":
		return "", errNoFile
	}
	if err := p.startable(); err != nil && !force {
		return "", err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "!\n! PoolGW (%s) configuration saved from vty\n!!\n", p.Env.Version)
	if err := p.RunningConfig(&b); err != nil {
		return "", err
	}
	if path == "" {
		return p.Path, config.SaveFile(p.Path, b.Bytes())
	}
	return config.SaveBelow(filepath.Dir(p.Path), path, b.Bytes())
}

// startable repeats the findings that a start would be refused for.
func (p vtyProgram) startable() error {
	var r *config.Refused
	if !errors.As(config.RefuseStart(p.Store.Findings()), &r) {
		return nil
	}
	var b strings.Builder
	PrintFindings(&b, r.Findings)
	b.WriteString("% Not saved: poolgw would not start with this; \"write force\" saves it")
	return vty.Raw(b.String())
}

func (p vtyProgram) Shutdown() {
	if p.Env.Shutdown != nil {
		p.Env.Shutdown()
	}
}
