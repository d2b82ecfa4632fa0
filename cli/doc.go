// Package cli is what poolgw says over its VTY: one file per node with the
// node's command literals, its writer and its show renderers.
//
// A command is one of three kinds. An edit (edit.go) is a pure function from a
// configuration to a configuration: typed into a session it is one transaction
// of config.Store, in a file it works on the copy that the whole file fills. An
// operation (operate.go) calls a method of the gateway. A show renders a
// Snapshot; its json form is the same Snapshot marshalled.
//
// To add a setting: the field in config or gb with its default, the command in
// the node's table, the line in the node's writer, a generator in
// random_test.go.
package cli
