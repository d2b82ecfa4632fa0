package cli

import (
	"errors"
	"slices"
	"strings"

	"poolgw/config"
	"poolgw/vty"
)

// viewCommand changes a LogView: that of a target in its node, or that of the
// session in the view and enable nodes.
type viewCommand struct {
	syntax string
	help   []string
	set    func(v *config.LogView, a vty.Args)
	check  func(a vty.Args) error // nil: the syntax says it all
	// filters: it names something, or takes the name away.
	filters bool
}

func (v viewCommand) apply(view *config.LogView, a vty.Args) error {
	if v.check != nil {
		if err := v.check(a); err != nil {
			return err
		}
	}
	v.set(view, a)
	return nil
}

// edit changes the view of the log target that the node is about.
func (v viewCommand) edit(e *edit) error {
	t := e.c.Log(e.key.(config.LogKey))
	if t == nil {
		return errGone
	}
	return v.apply(&t.LogView, e.args)
}

// errGone is for a node whose thing another session has removed meanwhile.
var errGone = errors.New("it has been removed meanwhile")

// onOffCommand makes a command that switches one property of a view.
func onOffCommand(words, doc string, field func(v *config.LogView) *bool) viewCommand {
	help := []string{loggingHelp}
	for range strings.Fields(words)[1:] {
		help = append(help, "What a line begins with")
	}
	help[len(help)-1] = doc
	return viewCommand{syntax: words + " (0|1)", help: append(help, "Off", "On"),
		set: func(v *config.LogView, a vty.Args) { *field(v) = a[0] == "1" }}
}

// filterCommand makes a command that lets only one value pass.
func filterCommand(words, doc string, field func(v *config.LogView) **uint16) viewCommand {
	return viewCommand{syntax: "logging filter " + words + " <0-65535>", filters: true,
		help: []string{loggingHelp, filterHelp, doc, "By its number", "The number"},
		set: func(v *config.LogView, a vty.Args) {
			n := (&edit{args: a}).uint16(0)
			*field(v) = &n
		}}
}

const (
	filterHelp = "Which lines pass"
	maskHelp   = "Pseudonyms in the place of IMSIs, TLLIs and TMSIs"
	levelHelp  = "From which level on lines pass"
)

func viewCommands() []viewCommand {
	cats := config.LogCategories
	names, docs := make([]string, len(cats)), make([]string, len(cats))
	for i, c := range cats {
		names[i], docs[i] = c.Name, c.Doc
	}
	levels := "(" + strings.Join(config.LogLevels, "|") + ")"
	levelDocs := []string{"Everything", "Information and above", "Notable events and above", "Errors and above", "What ends the program"}
	return []viewCommand{
		onOffCommand("logging filter all", "All lines, or none", func(v *config.LogView) *bool { return &v.FilterAll }),
		onOffCommand("logging color", "Colours by level", func(v *config.LogView) *bool { return &v.Color }),
		onOffCommand("logging timestamp", "Date and time", func(v *config.LogView) *bool { return &v.Timestamp }),
		onOffCommand("logging print extended-timestamp", "Date and time with milliseconds", func(v *config.LogView) *bool { return &v.ExtTimestamp }),
		onOffCommand("logging print thread-id", "The kernel's thread", func(v *config.LogView) *bool { return &v.ThreadID }),
		onOffCommand("logging print category", "Category", func(v *config.LogView) *bool { return &v.Category }),
		onOffCommand("logging print category-hex", "Category as a number", func(v *config.LogView) *bool { return &v.CategoryHex }),
		onOffCommand("logging print level", "Level", func(v *config.LogView) *bool { return &v.Level }),
		{syntax: "logging print file (0|1|basename) [last]",
			help: []string{loggingHelp, "What a line begins with", "Place in poolgw's source", "Off", "With its path", "Without path", "At the line's end"},
			set:  func(v *config.LogView, a vty.Args) { v.File, v.FileLast = a[0], a.Has(1) }},
		{syntax: "logging level (" + strings.Join(names, "|") + ") " + levels,
			help: append(append([]string{loggingHelp, levelHelp}, docs...), levelDocs...),
			set:  func(v *config.LogView, a vty.Args) { v.SetLevel(a[0], a[1]) }},
		{syntax: "logging level set-all " + levels,
			help: append([]string{loggingHelp, levelHelp, "Every category"}, levelDocs...),
			set:  func(v *config.LogView, a vty.Args) { v.SetAll(a[0]) }},
		{syntax: "logging level force-all " + levels,
			help: append([]string{loggingHelp, levelHelp, "Every category, whatever else is set"}, levelDocs...),
			set:  func(v *config.LogView, a vty.Args) { v.ForceAll = a[0] }},
		{syntax: "no logging level force-all",
			help: []string{no, loggingHelp, levelHelp, "Every category, whatever else is set"},
			set:  func(v *config.LogView, a vty.Args) { v.ForceAll = "" }},
		filterCommand("nse nsei", "One NSE", func(v *config.LogView) **uint16 { return &v.NSE }),
		filterCommand("nsvc nsvci", "One NS-VC", func(v *config.LogView) **uint16 { return &v.NSVC }),
		filterCommand("bvc bvci", "One BVC", func(v *config.LogView) **uint16 { return &v.BVC }),
		subscriberFilter("tlli", "TLLI", "8 hexadecimal digits", func(v *config.LogView, id string) {
			q, _ := query(vty.Args{"tlli", id})
			v.TLLI = q.TLLI
		}),
		subscriberFilter("imsi", "IMSI", "6 to 15 digits", func(v *config.LogView, id string) { v.IMSI = id }),
		{syntax: "no logging filter (nse|nsvc|bvc|tlli|imsi)", filters: true,
			help: []string{no, loggingHelp, filterHelp, "Every NSE", "Every NS-VC", "Every BVC", "Every TLLI", "Every IMSI"},
			set:  func(v *config.LogView, a vty.Args) { unfilter[a[0]](v) }},
		{syntax: "logging mask-identities", help: []string{loggingHelp, maskHelp},
			set: func(v *config.LogView, _ vty.Args) { v.Mask = true }},
		{syntax: "no logging mask-identities", help: []string{no, loggingHelp, maskHelp},
			set: func(v *config.LogView, _ vty.Args) { v.Mask = false }},
	}
}

var unfilter = map[string]func(v *config.LogView){
	"nse": func(v *config.LogView) { v.NSE = nil }, "nsvc": func(v *config.LogView) { v.NSVC = nil },
	"bvc": func(v *config.LogView) { v.BVC = nil }, "tlli": func(v *config.LogView) { v.TLLI = nil },
	"imsi": func(v *config.LogView) { v.IMSI = "" },
}

// subscriberFilter makes a command that lets only lines about one identity pass.
func subscriberFilter(kind, variable, doc string, set func(v *config.LogView, id string)) viewCommand {
	return viewCommand{syntax: "logging filter " + kind + " " + variable, filters: true,
		help:  []string{loggingHelp, filterHelp, "One subscriber, by the " + variable, doc},
		check: func(a vty.Args) error { _, err := query(vty.Args{kind, a[0]}); return err },
		set:   func(v *config.LogView, a vty.Args) { set(v, a[0]) }}
}

// noLevel tells of a word that is no level which there are.
func noLevel(nodes []vty.Node) vty.Command {
	names, docs := []string{"set-all", "force-all"}, []string{"Every category", "Every category"}
	for _, c := range config.LogCategories {
		names, docs = append(names, c.Name), append(docs, c.Doc)
	}
	return vty.Command{Nodes: nodes, Flags: vty.Hidden, Syntax: "logging level (" + strings.Join(names, "|") + ") LEVEL",
		Help: slices.Concat([]string{loggingHelp, levelHelp}, docs, []string{"None of the levels"}),
		Run: func(_ *vty.Session, a vty.Args) error {
			return refuse("%s is no level; there are %s", a[1], strings.Join(config.LogLevels, ", "))
		}}
}

// session is what a telnet session keeps in vty.Session.Data.
type session struct {
	view config.LogView
	log  LogSession // nil: "logging enable" was not given
}

func sessionOf(s *vty.Session) *session {
	st, ok := s.Data.(*session)
	if !ok {
		st = &session{view: config.DefaultLogView()}
		st.view.Color = false
		s.Data = st
	}
	return st
}

var errNoLog = errors.New("there is no log here")

func (p *program) loggingCommands() []vty.Command {
	cmds := []vty.Command{
		{Nodes: inView, Syntax: "logging enable", Help: []string{loggingHelp, "Show the log in this session"}, Run: p.loggingEnable},
		{Nodes: inView, Syntax: "logging disable", Help: []string{loggingHelp, "Show it no more"}, Run: p.loggingDisable},
		{Nodes: inView, Syntax: "logging set-log-mask MASK",
			Help: []string{loggingHelp, "Levels of several categories at once", "Such as DLNS,5:DLBSSGP,1"}, Run: p.setLogMask},
		{Nodes: inView, Syntax: "show logging vty", Help: []string{showHelp, "The log", "As this session sees it"}, Run: p.showLoggingVTY},
		{Nodes: inView, Syntax: "show alarms", Help: []string{showHelp, "What \"log alarms\" keeps"}, Run: p.showAlarms},
		p.logp(),
	}
	for _, v := range viewCommands() {
		cmds = append(cmds, vty.Command{Nodes: inView, Syntax: v.syntax, Help: v.help, Run: p.changeView(v)})
	}
	return append(cmds, noLevel(inView))
}

func (p *program) loggingEnable(s *vty.Session, _ vty.Args) error {
	term := s.Terminal()
	if p.Logs == nil || term == nil {
		return errNoLog
	}
	st := sessionOf(s)
	if st.log != nil {
		return vty.Raw("Logging already enabled.")
	}
	st.log = p.Logs.Open(st.view.Clone(), term.Log)
	term.OnClose(st.log.Close)
	return nil
}

func (p *program) loggingDisable(s *vty.Session, _ vty.Args) error {
	st := sessionOf(s)
	if st.log == nil {
		return vty.Raw("Logging was not enabled.")
	}
	st.log.Close()
	st.log = nil
	return nil
}

// changeView makes a command for the session's own view.
func (p *program) changeView(v viewCommand) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		st := sessionOf(s)
		if err := v.apply(&st.view, a); err != nil {
			return err
		}
		if v.filters && st.view.FilterAll == st.view.Filtered() {
			st.view.FilterAll = !st.view.FilterAll
			s.Printf("%% Note: \"logging filter all\" is %s now\n", zeroOne(st.view.FilterAll))
		}
		if st.log != nil {
			st.log.SetView(st.view.Clone())
		}
		return nil
	}
}

// maskLevels are the numbers of the levels in a log mask.
var maskLevels = map[string]string{"1": "debug", "3": "info", "5": "notice", "7": "error", "8": "fatal"}

// setLogMask reads "DLNS,5:DLBSSGP,1": categories with a D before them, each
// with the number of its level.
func (p *program) setLogMask(s *vty.Session, a vty.Args) error {
	st := sessionOf(s)
	v := st.view.Clone()
	for _, part := range strings.Split(a[0], ":") {
		name, level, _ := strings.Cut(part, ",")
		name = strings.TrimPrefix(strings.ToLower(name), "d")
		word, ok := maskLevels[level]
		if level == "" {
			word, ok = "debug", true
		}
		if !ok || !isCategory(name) {
			return errors.New("the mask has an unknown category or level: " + part)
		}
		v.SetLevel(name, word)
	}
	st.view = v
	if st.log != nil {
		st.log.SetView(v.Clone())
	}
	return nil
}

func isCategory(name string) bool {
	for _, c := range config.LogCategories {
		if c.Name == name {
			return true
		}
	}
	return false
}

// logp is "logp CATEGORY LEVEL TEXT".
func (p *program) logp() vty.Command {
	for _, v := range viewCommands() {
		if rest, ok := strings.CutPrefix(v.syntax, "logging level (gprs"); ok {
			return vty.Command{Nodes: inView, Syntax: "logp (gprs" + rest + " .LOGMESSAGE",
				Help: append(append([]string{"Write a line to the log, as a mark"}, v.help[2:]...), "The line"),
				Run: func(_ *vty.Session, a vty.Args) error {
					if p.Logs == nil {
						return errNoLog
					}
					p.Logs.Log(a[0], a[1], a[2])
					return nil
				}}
		}
	}
	panic("cli: no command sets a category's level")
}

func (p *program) showLoggingVTY(s *vty.Session, _ vty.Args) error {
	st := sessionOf(s)
	s.Printf("Logging to this session: %s\n", onOff(st.log != nil))
	var w writer
	writeView(&w, &st.view)
	_, err := s.Write(w.Bytes())
	return err
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func (p *program) showAlarms(s *vty.Session, _ vty.Args) error {
	if p.Logs == nil {
		return errNoLog
	}
	lines, ok := p.Logs.Alarms()
	if !ok {
		return refuse("No alarms, run 'log alarms <2-32700>'")
	}
	s.Printf("Showing %d alarms\n", len(lines))
	for _, l := range lines {
		s.Printf("%s\n", l)
	}
	return nil
}
