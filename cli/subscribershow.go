package cli

import (
	"encoding/hex"
	"slices"
	"strings"

	"poolgw/gb"
	"poolgw/nri"
	"poolgw/vty"
)

// subscriberShows tell where a subscriber would go.
func (p *program) subscriberShows() []vty.Command {
	syntax := "show subscriber (tlli|ptmsi|tmsi|imsi) ID"
	help := []string{showHelp, "Where a subscriber would go, and why", "By its TLLI, hexadecimal", "By its P-TMSI, hexadecimal",
		"By its TMSI, hexadecimal", "By its IMSI", "The identity"}
	plmn := []string{"In a cell of this network", "Mobile country code, three digits", "Mobile network code, two or three digits"}
	var cmds []vty.Command
	for _, form := range []struct {
		words string
		help  []string
	}{{"", nil}, {" plmn MCC MNC", plmn}} {
		cmds = append(cmds,
			vty.Command{Nodes: inView, Syntax: syntax + form.words, Help: slices.Concat(help, form.help), Run: p.ask(p.textAnswer)},
			vty.Command{Nodes: inView, Syntax: syntax + form.words + " json", Help: slices.Concat(help, form.help, []string{jsonHelp}),
				Run: p.ask(func(s *vty.Session, a gb.Answer) error { return writeJSON(s, a) })})
	}
	return cmds
}

// ask makes a command that asks the gateway and renders its answer.
func (p *program) ask(render func(s *vty.Session, a gb.Answer) error) vty.Handler {
	return func(s *vty.Session, a vty.Args) error {
		q, err := query(a)
		if err != nil {
			return err
		}
		if p.Gateway == nil {
			return errNoGateway
		}
		answer, err := p.Gateway.Subscriber(q)
		if err != nil {
			return err
		}
		return render(s, answer)
	}
}

// query reads a subscriber's identity: eight hexadecimal digits, with or
// without 0x, or an IMSI of 6 to 15 digits; and the network, if one is given.
func query(a vty.Args) (q gb.Query, err error) {
	if a.Has(3) {
		if q.PLMN, err = parsePLMN(a[2], a[3]); err != nil {
			return q, err
		}
	}
	kind, id := a[0], a[1]
	if kind == "imsi" {
		if len(id) < 6 || len(id) > 15 || strings.Trim(id, "0123456789") != "" {
			return q, refuse("An IMSI has 6 to 15 digits")
		}
		q.IMSI = id
		return q, nil
	}
	b, err := hex.DecodeString(strings.TrimPrefix(strings.ToLower(id), "0x"))
	if err != nil || len(b) != 4 {
		return q, refuse("A TLLI, P-TMSI or TMSI has 8 hexadecimal digits")
	}
	v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
	*map[string]**uint32{"tlli": &q.TLLI, "ptmsi": &q.PTMSI, "tmsi": &q.TMSI}[kind] = &v
	return q, nil
}

func parsePLMN(mcc, mnc string) (nri.PLMN, error) {
	p, err := nri.ParsePLMN(mcc + "-" + mnc)
	if err != nil {
		return p, refuse("'%s %s' is no PLMN: an MCC has three digits, an MNC two or three", mcc, mnc)
	}
	return p, nil
}

func (p *program) textAnswer(s *vty.Session, a gb.Answer) error {
	if a.Kind != "" {
		s.Printf("Identity: %s TLLI\n", a.Kind)
	}
	if a.NRI != nil {
		s.Printf("NRI: %d\n", *a.NRI)
	}
	if a.Member == "" {
		s.Printf("Goes to: no SGSN\n")
	} else {
		s.Printf("Goes to: NSE(%05d/SGSN) %s\n", a.NSEI, a.Member)
	}
	s.Printf("Reason: %s\n", a.Reason)
	if a.Text != "" {
		s.Printf("%s\n", a.Text)
	}
	if !a.LastSeen.IsZero() {
		s.Printf("Last seen: %s ago\n", ago(p.Now(), a.LastSeen))
	}
	return nil
}
