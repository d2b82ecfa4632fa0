package pcusock

import (
	"bytes"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var testCell = Info{MCC: 262, MNC: 42, LAC: 13135, NSEI: 2001, BVCI: 20011, TRX: [maxTRX]TRX{{ARFCN: 871, PDCHs: 0xff}},
	NSVCs: [maxNSVCs]NSVC{{NSVCI: 1800, LocalPort: 23008, Remote: netip.MustParseAddrPort("127.1.2.3:23000")}}}

func listen(t *testing.T) (s *Server, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "pcu")
	s, err := Listen(Config{Path: path, Cell: testCell})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, path
}

// pcu is a PCU made by hand.
type pcu struct {
	t *testing.T
	*net.UnixConn
}

func dial(t *testing.T, path string) pcu {
	t.Helper()
	c, err := net.DialUnix("unixpacket", nil, &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return pcu{t, c}
}

func (p pcu) write(b []byte) {
	p.t.Helper()
	if _, err := p.Write(b); err != nil {
		p.t.Fatal(err)
	}
}

func (p pcu) read() []byte {
	p.t.Helper()
	b := make([]byte, 2*MessageSize)
	p.SetReadDeadline(time.Now().Add(10 * time.Second))
	n, err := p.Read(b)
	if err != nil {
		p.t.Fatal(err)
	}
	return b[:n]
}

// await reads until a message of a type comes.
func (p pcu) await(typ MsgType) Message {
	p.t.Helper()
	for range 10000 {
		if m, err := Parse(p.read()); err != nil || m.Type == typ {
			return m
		}
	}
	p.t.Fatalf("no %v", typ)
	return Message{}
}

// version is TXT_IND as osmo-pcu sends it.
func version(t *testing.T) []byte { return octets{0: "7000", 4: "00", 5: "312e312e30"}.make(t) }

// until waits for a status.
func until(t *testing.T, s *Server, what string, ok func(Status) bool) {
	t.Helper()
	for range 1000 {
		if ok(s.Status()) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("not within 10 s: %s; %+v", what, s.Status())
}

func TestSession(t *testing.T) {
	s, path := listen(t)
	p := dial(t, path)
	until(t, s, "a PCU", func(st Status) bool { return st.Connected })
	p.write(version(t))
	want := testCell
	want.Version, want.Flags = 10, FlagActive
	if got := p.read(); !bytes.Equal(got, Encode(0, &want)) { // the first thing it gets
		t.Errorf("INFO_IND %x", got)
	}
	if st := s.Status(); st.Version != "1.1.0" || st.Sessions != 1 {
		t.Errorf("%+v", st)
	}
	frames := p.clock()
	if frames[1]-frames[0] != 4 && frames[1]-frames[0] != 5 {
		t.Errorf("frames %v", frames)
	}
	p.write(octets{0: "4000", 4: "010006"}.make(t))
	p.ready()
	p.write(octets{0: "0000", 4: "0500"}.make(t))
	p.write(octets{0: "0000", 4: "0503", 6: "470094"}.make(t))
	p.write(octets{0: "4000", 4: "000006"}.make(t))
	until(t, s, "blocks, and the channel off", func(st Status) bool { return st.Active[0] == 0 && st.Idle == 1 && st.Blocks == 1 })
	p.Close()
	until(t, s, "no PCU", func(st Status) bool { return !st.Connected })
}

// clock reads two frame numbers.
func (p pcu) clock() (frames [2]uint32) {
	p.t.Helper()
	for i := range frames {
		var tm Time
		if err := p.await(MsgTimeInd).Decode(&tm); err != nil {
			p.t.Fatal(err)
		}
		frames[i] = tm.Frame
	}
	return frames
}

// ready reads RTS_REQs until all blocks of a multiframe were asked for.
func (p pcu) ready() {
	p.t.Helper()
	seen := map[uint8]bool{}
	for range 12 {
		var r Ready
		if err := p.await(MsgRTSReq).Decode(&r); err != nil {
			p.t.Fatal(err)
		}
		if r.SAPI != SAPIPDTCH || r.ARFCN != 871 || r.TRX != 0 || r.Slot != 6 || r.Block != blockOf(r.Frame) || r.Block > 11 {
			p.t.Errorf("%+v", r)
		}
		seen[r.Block] = true
	}
	if len(seen) != 12 {
		p.t.Errorf("blocks %v", seen)
	}
}

func TestBlockOf(t *testing.T) {
	for frame, want := range map[uint32]uint8{0: 0, 4: 1, 8: 2, 13: 3, 17: 4, 21: 5, 26: 6, 30: 7, 34: 8, 39: 9, 43: 10, 47: 11, 52: 0} {
		if got := blockOf(frame); got != want {
			t.Errorf("frame %d: block %d, want %d", frame, got, want)
		}
	}
}

// TestHostile: garbage is counted and the session goes on.
func TestHostile(t *testing.T) {
	s, path := listen(t)
	p := dial(t, path)
	bad := [][]byte{{0x70}, {0x70, 0, 0, 0}, {0x40, 0, 0, 0, 1}, octets{0: "4000", 4: "010800"}.make(t), octets{0: "4000", 4: "010008"}.make(t),
		make([]byte, 5000), make([]byte, maxDatagram)}
	for _, b := range bad {
		p.write(b)
	}
	p.write(octets{0: "9900"}.make(t))
	p.write(octets{0: "7000", 4: "01"}.make(t))
	p.write(version(t))
	p.await(MsgInfoInd)
	until(t, s, "all counted", func(st Status) bool {
		return st.Malformed == uint64(len(bad)) && st.Others == 1 && st.Alerts == 1 && st.Version == "1.1.0" && st.Active == [maxTRX]uint8{}
	})
}

// TestDeaf: a PCU that does not read loses its session, and the next is served.
func TestDeaf(t *testing.T) {
	s, path := listen(t)
	deaf := dial(t, path)
	deaf.write(version(t))
	for slot := range byte(maxSlots) {
		for trx := range byte(maxTRX) {
			deaf.write([]byte{byte(MsgActReq), 0, 0, 0, 1, trx, slot, 0})
		}
	}
	next := dial(t, path)
	next.write(version(t))
	until(t, s, "the second PCU", func(st Status) bool { return st.Sessions == 2 })
	next.await(MsgInfoInd)
	next.clock()
}

// TestClose: sessions end, the socket is gone, and closing again does nothing.
func TestClose(t *testing.T) {
	s, path := listen(t)
	p := dial(t, path)
	until(t, s, "a PCU", func(st Status) bool { return st.Connected })
	dial(t, path) // waits its turn
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
	p.SetReadDeadline(time.Now().Add(5 * time.Second))
	if n, err := p.Read(make([]byte, 10)); n > 0 || os.IsTimeout(err) {
		t.Errorf("the session goes on: %d, %v", n, err)
	}
}

// TestPath: a socket that a killed server left is replaced, anything else is
// not.
func TestPath(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, "left")
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: left, Net: "unixpacket"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	s, err := Listen(Config{Path: left, Cell: testCell})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("keep"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, dir, filepath.Join(dir, "no", "such")} {
		if s, err := Listen(Config{Path: path, Cell: testCell}); err == nil {
			s.Close()
			t.Errorf("listens at %s", path)
		}
	}
	if b, _ := os.ReadFile(file); string(b) != "keep" {
		t.Errorf("the file has %q", b)
	}
}
