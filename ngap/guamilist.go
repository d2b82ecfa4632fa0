package ngap

// MaxGUAMIs is the most GUAMIs of a list (maxnoofServedGUAMIs).
const MaxGUAMIs = 256

// ServedGUAMI is an item of the Served GUAMI List (9.2.6.2).
type ServedGUAMI struct {
	GUAMI  GUAMI
	Backup []byte // Backup AMF Name; nil: none

	inner, extras *extras
}

// GUAMIType returns the item's GUAMI Type (9.3.1.91): 0 native, 1 mapped.
func (g *ServedGUAMI) GUAMIType() (uint32, bool) {
	v, ok := g.extras.find(IEGUAMIType)
	if !ok {
		return 0, false
	}
	t, err := ReadGUAMIType(v)
	return t, err == nil
}

// ReadGUAMIType reads a GUAMI Type (9.3.1.91), IE 176: 0 native, 1 mapped.
func ReadGUAMIType(v []byte) (uint32, error) {
	c := cursor{b: v}
	t := c.enum(1, 2)
	return t, c.done()
}

// Backups returns the names of the backup AMF: of the extension Extended Backup AMF
// Name (IE 442), which counts where it is there, and Backup AMF Name.
func (g *ServedGUAMI) Backups() []string { return backups(g.Backup, g.extras) }

// DropBackup takes the backup AMF out, whatever its name is in.
func (g *ServedGUAMI) DropBackup() {
	g.Backup = nil
	g.extras = g.extras.without(IEExtendedBackupAMFName)
}

func backups(plain []byte, x *extras) (names []string) {
	if v, ok := x.find(IEExtendedBackupAMFName); ok {
		list, _ := ReadExtendedName(v, nil)
		for _, n := range list {
			names = append(names, string(n))
		}
	}
	if plain != nil {
		names = append(names, string(plain))
	}
	return names
}

// ReadServedGUAMIs appends a Served GUAMI List (IE 96) to list. Names are slices
// of v.
func ReadServedGUAMIs(v []byte, list []ServedGUAMI) ([]ServedGUAMI, error) {
	c := cursor{b: v}
	for n := c.count256(); n > 0 && c.bad == ""; n-- {
		var g ServedGUAMI
		extended, opt := c.sequence(2)
		g.GUAMI, g.inner = c.guami()
		if opt&2 != 0 {
			g.Backup = c.printable()
		}
		g.extras = c.extras(extended, opt&1 != 0)
		list = append(list, g)
	}
	return list, c.done()
}

// AppendServedGUAMIs appends a Served GUAMI List of 1 to MaxGUAMIs.
func AppendServedGUAMIs(b []byte, list []ServedGUAMI) []byte {
	w := writer{b: b}
	w.count256(len(list))
	for i := range list {
		g := &list[i]
		w.preamble(g.extras, bit(g.Backup != nil), 1)
		w.guami(g.GUAMI, g.inner)
		if g.Backup != nil {
			w.printable(g.Backup)
		}
		w.extras(g.extras)
	}
	return w.b
}

// UnavailableGUAMI is an item of the Unavailable GUAMI List (9.2.6.11).
type UnavailableGUAMI struct {
	GUAMI  GUAMI
	Timer  bool   // Timer Approach for GUAMI Removal: apply timer
	Backup []byte // Backup AMF Name; nil: none

	inner, extras *extras
}

// Backups is ServedGUAMI.Backups.
func (g *UnavailableGUAMI) Backups() []string { return backups(g.Backup, g.extras) }

// ReadUnavailableGUAMIs appends an Unavailable GUAMI List (IE 120) to list.
func ReadUnavailableGUAMIs(v []byte, list []UnavailableGUAMI) ([]UnavailableGUAMI, error) {
	c := cursor{b: v}
	for n := c.count256(); n > 0 && c.bad == ""; n-- {
		var g UnavailableGUAMI
		extended, opt := c.sequence(3)
		g.GUAMI, g.inner = c.guami()
		if opt&4 != 0 {
			g.Timer = c.enum(0, 1) == 0
		}
		if opt&2 != 0 {
			g.Backup = c.printable()
		}
		g.extras = c.extras(extended, opt&1 != 0)
		list = append(list, g)
	}
	return list, c.done()
}

// AppendUnavailableGUAMIs appends an Unavailable GUAMI List of 1 to MaxGUAMIs.
func AppendUnavailableGUAMIs(b []byte, list []UnavailableGUAMI) []byte {
	w := writer{b: b}
	w.count256(len(list))
	for i := range list {
		g := &list[i]
		w.preamble(g.extras, bit(g.Timer)<<1|bit(g.Backup != nil), 2)
		w.guami(g.GUAMI, g.inner)
		if g.Timer {
			w.enum(0, 1, 0)
		}
		if g.Backup != nil {
			w.printable(g.Backup)
		}
		w.extras(g.extras)
	}
	return w.b
}

// count256 reads the count of a list of 1 to 256: one aligned octet (11.5.7.2).
func (c *cursor) count256() int {
	o := c.octets(1)
	if o == nil {
		return 0
	}
	return int(o[0]) + 1
}

func (w *writer) count256(n int) { w.octets([]byte{byte(n - 1)}) }
