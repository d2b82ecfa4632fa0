package bssgp

// Area is where an MS is paged: exactly one of its fields; with none set, the
// whole BSS.
type Area struct {
	BVCI *uint16
	LAI  *LAI
	RAI  *RAI
}

func (a Area) append(b []byte) []byte {
	switch {
	case a.BVCI != nil:
		return append16(b, IEBVCI, *a.BVCI)
	case a.LAI != nil:
		return AppendIE(b, IELocationArea, a.LAI[:])
	case a.RAI != nil:
		return AppendIE(b, IERouteingArea, a.RAI[:])
	}
	return append8(b, IEBSSAreaIndication, 0)
}

// Paging is what PAGING-PS and PAGING-CS hold (10.3.1, 10.3.2).
type Paging struct {
	IMSI IMSI
	Area Area
	DRX  [2]byte // mandatory in PAGING-CS, not sent in PAGING-PS
	QoS  QoS     // PAGING-PS only
	TLLI *uint32 // PAGING-CS only
	TMSI *uint32 // P-TMSI in PAGING-PS
}

// AppendPS appends a PAGING-PS.
func (p *Paging) AppendPS(b []byte) []byte {
	b = appendIMSI(append(b, byte(TypePagingPS)), p.IMSI)
	b = AppendIE(p.Area.append(b), IEQoSProfile, p.QoS[:])
	if p.TMSI != nil {
		b = append32(b, IETMSI, *p.TMSI)
	}
	return b
}

// AppendCS appends a PAGING-CS.
func (p *Paging) AppendCS(b []byte) []byte {
	b = appendIMSI(append(b, byte(TypePagingCS)), p.IMSI)
	b = p.Area.append(AppendIE(b, IEDRXParameters, p.DRX[:]))
	if p.TLLI != nil {
		b = append32(b, IETLLI, *p.TLLI)
	}
	if p.TMSI != nil {
		b = append32(b, IETMSI, *p.TMSI)
	}
	return b
}

// AppendPagingPSReject appends a PAGING-PS-REJECT; until is the value of the Time
// Until Next Paging Occasion: minutes, then seconds.
func AppendPagingPSReject(b []byte, i IMSI, until uint16) []byte {
	return append16(appendIMSI(append(b, byte(TypePagingPSReject)), i), IETimeUntilNextPagingOccasion, until)
}

// AppendDummyPagingPS appends a DUMMY-PAGING-PS; r may be nil.
func AppendDummyPagingPS(b []byte, i IMSI, r *RAI) []byte {
	b = appendIMSI(append(b, byte(TypeDummyPagingPS)), i)
	if r != nil {
		b = AppendIE(b, IERouteingArea, r[:])
	}
	return b
}

// AppendDummyPagingPSResponse appends a DUMMY-PAGING-PS-RESPONSE.
func AppendDummyPagingPSResponse(b []byte, i IMSI, until uint16) []byte {
	return append16(appendIMSI(append(b, byte(TypeDummyPagingPSResponse)), i), IETimeUntilNextPagingOccasion, until)
}
