package pcusock

import "testing"

// A PCU that is gone has no channel left, and the next one begins without its
// version and its channels.
func TestGonePCUHasNoChannels(t *testing.T) {
	s, path := listen(t)
	p := dial(t, path)
	p.write(version(t))
	p.write(octets{0: "4000", 4: "010006"}.make(t))
	until(t, s, "a channel", func(st Status) bool { return st.Active[0] == 1<<6 && st.Version == "1.1.0" })
	p.Close()
	until(t, s, "no PCU", func(st Status) bool { return !st.Connected })
	if st := s.Status(); st.Active != [maxTRX]uint8{} {
		t.Errorf("without a PCU: %+v", st)
	}
	dial(t, path)
	until(t, s, "the next PCU", func(st Status) bool { return st.Connected })
	if st := s.Status(); st.Version != "" || st.Active != [maxTRX]uint8{} || st.Sessions != 2 {
		t.Errorf("the next PCU: %+v", st)
	}
}
