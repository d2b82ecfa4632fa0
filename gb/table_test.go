package gb_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"poolgw/bssgp"
	"poolgw/gb"
)

var update = flag.Bool("update", false, "write doc/routing.md anew")

const routingFile = "../doc/routing.md"

func TestRoutingDoc(t *testing.T) {
	text := gb.RoutingDoc()
	if *update {
		if err := os.WriteFile(routingFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(routingFile)
	if err != nil || string(file) != text {
		t.Errorf("%s is not what the table says: run go generate ./gb (%v)", routingFile, err)
	}
}

func TestTableIsSound(t *testing.T) {
	type key struct {
		pdu  bssgp.PDUType
		dir  bssgp.Dir
		kind bssgp.BVCKind
	}
	seen := map[key]bool{}
	for _, r := range gb.Routing() {
		k := key{r.PDU(), r.Direction(), r.Kind()}
		if seen[k] {
			t.Errorf("%v has two rows", k)
		}
		seen[k] = true
		d := bssgp.Definition(r.PDU())
		if d == nil || !d.Dirs.Has(r.Direction()) || !d.Kinds.Has(r.Kind()) {
			t.Errorf("%v %v: the specification does not have it there", r.PDU(), k)
		}
	}
	for _, d := range bssgp.Definitions() { // all that is specified has its row
		for _, dir := range []bssgp.Dir{bssgp.Uplink, bssgp.Downlink} {
			for _, kind := range []bssgp.BVCKind{bssgp.SIG, bssgp.PTP} {
				if d.Dirs.Has(dir) && d.Kinds.Has(kind) && !seen[key{d.Type, dir, kind}] {
					t.Errorf("%s has no row for %v on %v", d.Name, dir, kind)
				}
			}
		}
	}
}

// The table drives the code: without its row, each PDU is refused, on a worker
// as in the loop.
// Facts: G5.2-13
func TestRemovedRowIsRefused(t *testing.T) {
	run(t, config(1), func(b *bed) {
		b.bss(2001, cell20011)
		b.at(101).set(false, true)
		b.at(2001).set(false, true)
		for _, r := range gb.Routing() {
			p, bvci := b.at(2001), uint16(0)
			if r.Direction() == bssgp.Downlink {
				p = b.at(101)
			}
			if r.Kind() == bssgp.PTP {
				bvci = 20011
			}
			before := b.snapshot().Drops["pdu_type"]
			b.gw.RemoveRow(r)
			p.send(bvci, minimal(r))
			if after := b.snapshot().Drops["pdu_type"]; after != before+1 {
				t.Errorf("%v, direction %d, kind %d: not refused without its row", r.PDU(), r.Direction(), r.Kind())
			}
		}
	})
}

// With its row, none is refused for its type or its form.
func TestEveryRowIsServed(t *testing.T) {
	run(t, config(1), func(b *bed) {
		b.bss(2001, cell20011)
		for _, r := range gb.Routing() {
			p, bvci := b.at(2001), uint16(0)
			p.reset(cell20011) // whatever the row before did
			if r.Direction() == bssgp.Downlink {
				p = b.at(101)
			}
			if r.Kind() == bssgp.PTP {
				bvci = 20011
			}
			before := refusals(b)
			p.send(bvci, minimal(r))
			if refusals(b) != before {
				t.Errorf("%v, direction %d, kind %d: %v", r.PDU(), r.Direction(), r.Kind(), b.snapshot().Drops)
			}
		}
	})
}

func refusals(b *bed) uint64 {
	d := b.snapshot().Drops
	return d["pdu_type"] + d["malformed"] + d["bvci_unknown"] + d["bvc_blocked"] + d["cell_inactive"]
}

// minimal makes the shortest correct PDU of a row, from the specification's
// table; identities are the ones of the cell 20011.
func minimal(r gb.Row) string {
	d := bssgp.Definition(r.PDU())
	values := map[bssgp.IEI]string{bssgp.IETLLI: "c0180001", bssgp.IEBVCI: "4e2b", bssgp.IEIMSI: "1900010000000010",
		bssgp.IECellIdentifier: cell20011.id, bssgp.IERouteingArea: "62f224334f00", bssgp.IECause: "08",
		bssgp.IERIMRoutingInformation: "00" + cell20011.id}
	pdu := fmt.Sprintf("%02x", uint8(d.Type))
	one := len(d.OneOf) > 0
	for _, ie := range d.Rows {
		want := ie.Presence == bssgp.Mandatory || d.Type == bssgp.TypeBVCReset && ie.IEI == bssgp.IECellIdentifier
		if one && ie.IEI == d.OneOf[0] {
			want, one = true, false
		}
		v, ok := values[ie.IEI]
		if !ok {
			v = strings.Repeat("00", ie.Min)
		}
		switch {
		case want && ie.Format == bssgp.V:
			pdu += v
		case want:
			pdu += fmt.Sprintf("%02x%02x%s", uint8(ie.IEI), 0x80|len(v)/2, v)
		}
	}
	if strings.HasPrefix(r.RuleName(), "unknown") { // relayed by what it names
		pdu += "0482" + values[bssgp.IEBVCI]
	}
	return pdu
}
