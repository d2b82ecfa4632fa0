package cli

import "errors"

// fakeStats has the NS-VC of an osmo-sgsn 1.9.0, with the values of which it
// showed what testdata/transcripts/stats.txtar has.
type fakeStats struct{ logs *fakeLogs }

func (f fakeStats) Groups() ([]StatsGroup, error) {
	kinds := f.Kinds()
	name := "NSE00101-NSVC-UDP-127_0_0_77:23000-127_0_0_77:23001"
	kinds[0].IndexName = name
	kinds[0].Values[0].Value, kinds[0].Values[0].PerSecond, kinds[0].Values[0].PerMinute = 3, 1, 3
	kinds[2].IndexName = name
	return kinds, nil
}

func (f fakeStats) Kinds() []StatsGroup {
	return []StatsGroup{
		{Group: "ns:nsvc", Text: "NSVC Peer Statistics", Level: "peer", Values: []StatsValue{
			{Name: "packets:out", Text: "Packets at NS Level  (Out)"}, {Name: "lost:reset", Text: "RESET ACK missing count"}}},
		{Group: "ns:nse", Text: "NSE Peer Statistics", Level: "peer", Index: 101, Values: []StatsValue{
			{Name: "packets:out", Text: "Packets at NS Level  (Out)"}}},
		{Group: "ns.nsvc", Text: "NSVC Peer Statistics", Level: "peer", Items: true, Values: []StatsValue{
			{Name: "alive.delay", Text: "ALIVE response time", Unit: "ms"}}},
		{Group: "gbproxy:global", Text: "GBProxy Global Statistics", Level: "global", Values: []StatsValue{
			{Name: "inv-bvci", Text: "Invalid BVC Identifier"}}},
	}
}

func (f fakeStats) Report() error { f.logs.note("stats report"); return nil }
func (f fakeStats) Reset() error  { return errors.New("the gateway does not answer") }
