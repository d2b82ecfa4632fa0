package vty

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// chapter is a node of the reference; name "" holds what several nodes share.
type chapter struct {
	id, title, text string
	prompt          string
	commands        []*command
}

const commonID = "_common_cmds_" // as in Osmocom's references

// chapters orders the commands for reading: the common ones first, then node by
// node. Hidden and deprecated ones are left out.
func (t *Tree) chapters() []chapter {
	common := chapter{id: commonID, title: "Common Commands",
		text: "These commands are available in all nodes, those that write or show the configuration except in " +
			string(ViewNode) + ", \"end\" in configuration nodes. They are listed here only once."}
	seen := map[string]bool{}
	var nodes []chapter
	for _, n := range t.order {
		c := chapter{id: string(n.Name), title: string(n.Name), prompt: n.prompt()}
		for _, cmd := range n.commands {
			switch {
			case !cmd.visible(true), cmd.common && seen[cmd.Syntax]:
			case cmd.common:
				seen[cmd.Syntax] = true
				common.commands = append(common.commands, cmd)
			default:
				c.commands = append(c.commands, cmd)
			}
		}
		nodes = append(nodes, c)
	}
	return append([]chapter{common}, nodes...)
}

func (n *node) prompt() string {
	if n.Name == ViewNode {
		return ">"
	}
	return n.Prompt + "#"
}

// WriteMarkdown writes the reference of all commands as Markdown.
func (t *Tree) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprint(b, "# VTY reference\n")
	for _, c := range t.chapters() {
		fmt.Fprintf(b, "\n## %s\n", c.title)
		if c.text != "" {
			fmt.Fprintf(b, "\n%s\n", c.text)
		}
		if c.prompt != "" {
			fmt.Fprintf(b, "\nPrompt: `%s`\n", c.prompt)
		}
		for _, cmd := range c.commands {
			cmd.writeMarkdown(b)
		}
	}
	return b.Flush()
}

// markdownCell keeps a text within its cell of a table.
var markdownCell = strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ")

func (c *command) writeMarkdown(w io.Writer) {
	fmt.Fprintf(w, "\n### `%s`\n\n", c.Syntax)
	if c.Flags&Expert != 0 {
		fmt.Fprint(w, "Shown in expert mode only.\n\n")
	}
	fmt.Fprint(w, "| word | meaning |\n|--|--|\n")
	for _, t := range c.tokens {
		for _, x := range t.terms {
			fmt.Fprintf(w, "| `%s` | %s |\n", strings.ReplaceAll(t.label(x), "|", `\|`), markdownCell.Replace(x.doc))
		}
	}
}

// The XML form of Osmocom's VTY references (urn:osmocom:xml:libosmocore:vty:doc:1.0).
type (
	xmlDoc struct {
		XMLName xml.Name  `xml:"urn:osmocom:xml:libosmocore:vty:doc:1.0 vtydoc"`
		Nodes   []xmlNode `xml:"node"`
	}
	xmlNode struct {
		ID          string       `xml:"id,attr"`
		Name        string       `xml:"name"`
		Description string       `xml:"description,omitempty"`
		Commands    []xmlCommand `xml:"command"`
	}
	xmlCommand struct {
		ID     string     `xml:"id,attr"`
		Params []xmlParam `xml:"params>param"`
	}
	xmlParam struct {
		Name string `xml:"name,attr"`
		Doc  string `xml:"doc,attr"`
	}
)

// WriteXML writes the reference in the XML form that Osmocom's tools read.
func (t *Tree) WriteXML(w io.Writer) error {
	return t.WriteXMLOf(w, func(Flags) bool { return true })
}

// WriteXMLOf is WriteXML with the commands alone whose flags keep wants.
func (t *Tree) WriteXMLOf(w io.Writer, keep func(Flags) bool) error {
	var doc xmlDoc
	for _, c := range t.chapters() {
		n := xmlNode{ID: c.id, Name: c.title, Description: c.text}
		for _, cmd := range c.commands {
			if keep(cmd.Flags) {
				n.Commands = append(n.Commands, cmd.xml())
			}
		}
		doc.Nodes = append(doc.Nodes, n)
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("vty: reference: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *command) xml() xmlCommand {
	x := xmlCommand{ID: c.Syntax}
	for _, t := range c.tokens {
		for _, term := range t.terms {
			x.Params = append(x.Params, xmlParam{t.label(term), term.doc})
		}
	}
	return x
}
