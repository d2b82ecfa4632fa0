package vty

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Tree is the command tree. It is built first (Node, Add) and does not change
// once sessions run; then any number of goroutines may use it.
type Tree struct {
	nodes   map[Node]*node
	order   []*node
	lock    configLock
	started time.Time // for "show uptime"
}

type node struct {
	NodeDef
	commands []*command
	paths    []*path // the forms of all commands, in the same order
}

// command is a Command as parsed.
type command struct {
	Command
	tokens []*token
	args   int // how many Args it has
	common bool
}

// path is one form of a command: one choice of its optional tokens.
type path struct {
	cmd    *command
	tokens []*token
}

// NewTree returns a tree with the built-in commands and the nodes ViewNode,
// EnableNode and ConfigNode.
func NewTree() *Tree {
	t := &Tree{nodes: map[Node]*node{}, started: time.Now()}
	t.addNode(NodeDef{Name: ViewNode})
	t.addNode(NodeDef{Name: EnableNode})
	t.addNode(NodeDef{Name: ConfigNode, Prompt: "(config)", Parent: EnableNode})
	t.addBuiltins()
	return t
}

// Node adds nodes beneath ConfigNode (which is the Parent when none is given),
// with the commands that all of them have. It panics when a node exists or its
// parent doesn't, or is ViewNode or EnableNode.
func (t *Tree) Node(defs ...NodeDef) {
	for _, d := range defs {
		if d.Parent == "" {
			d.Parent = ConfigNode
		}
		if !t.isConfig(d.Parent) {
			panic(fmt.Sprintf("vty: node %q: parent %q is no configuration node", d.Name, d.Parent))
		}
		t.addNode(d)
		t.addCommon(d.Name)
	}
}

func (t *Tree) addNode(d NodeDef) {
	if d.Name == "" || t.nodes[d.Name] != nil {
		panic(fmt.Sprintf("vty: node %q exists already or has no name", d.Name))
	}
	n := &node{NodeDef: d}
	t.nodes[d.Name] = n
	t.order = append(t.order, n)
}

// isConfig tells whether a node is ConfigNode or beneath it.
func (t *Tree) isConfig(name Node) bool {
	for n := t.nodes[name]; n != nil; n = t.nodes[n.Parent] {
		if n.Name == ConfigNode {
			return true
		}
	}
	return false
}

// Add adds commands to their nodes. It panics when a command can't be: bad
// syntax, missing or surplus help, no function, an unknown node, or a syntax
// that the node has already.
func (t *Tree) Add(commands ...Command) {
	for _, c := range commands {
		t.add(c, false)
	}
}

func (t *Tree) add(c Command, common bool) {
	cmd, err := compile(c)
	if err != nil {
		panic(fmt.Sprintf("vty: command %q: %v", c.Syntax, err))
	}
	cmd.common = common
	paths := cmd.paths()
	for _, name := range c.Nodes {
		n := t.nodes[name]
		if n == nil {
			panic(fmt.Sprintf("vty: command %q: no node %q", c.Syntax, name))
		}
		if n.has(c.Syntax) {
			panic(fmt.Sprintf("vty: command %q: node %q has it already", c.Syntax, name))
		}
		n.commands = append(n.commands, cmd)
		n.paths = append(n.paths, paths...)
	}
}

func (n *node) has(syntax string) bool {
	return slices.ContainsFunc(n.commands, func(c *command) bool { return c.Syntax == syntax })
}

func compile(c Command) (*command, error) {
	tokens, err := parseSyntax(c.Syntax)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Run == nil:
		return nil, fmt.Errorf("no function")
	case len(c.Nodes) == 0:
		return nil, fmt.Errorf("no node")
	}
	cmd := &command{Command: c, tokens: tokens}
	for _, t := range tokens {
		cmd.args = max(cmd.args, t.arg+1)
	}
	return cmd, cmd.document()
}

// document gives each term its help string.
func (c *command) document() error {
	var terms []*term
	var names []string
	for _, t := range c.tokens {
		for _, x := range t.terms {
			terms = append(terms, x)
			names = append(names, x.text)
		}
	}
	if len(terms) != len(c.Help) {
		return fmt.Errorf("%d help strings for %d words: %s", len(c.Help), len(terms), strings.Join(names, ", "))
	}
	for i, x := range terms {
		if x.doc = strings.TrimSpace(c.Help[i]); x.doc == "" {
			return fmt.Errorf("help of %s is empty", x.text)
		}
	}
	return nil
}

// paths lists the command's forms; those with earlier optional tokens first, so
// that a line which fits several of them fills the optional tokens in order.
func (c *command) paths() []*path {
	forms := [][]*token{nil}
	for _, t := range c.tokens {
		var grown [][]*token
		for _, f := range forms {
			grown = append(grown, append(slices.Clone(f), t))
			if t.optional {
				grown = append(grown, f)
			}
		}
		forms = grown
	}
	paths := make([]*path, len(forms))
	for i, f := range forms {
		paths[i] = &path{c, f}
	}
	return paths
}

// visible tells whether help, list and completion show the command.
func (c *command) visible(expert bool) bool {
	return c.Flags&(Hidden|Deprecated) == 0 && (expert || c.Flags&Expert == 0)
}

// at is the token for word i, nil when the form has ended.
func (p *path) at(i int) *token {
	if n := len(p.tokens); i >= n {
		if last := p.tokens[n-1]; last.terms[0].kind == rest {
			return last
		}
		return nil
	}
	return p.tokens[i]
}
