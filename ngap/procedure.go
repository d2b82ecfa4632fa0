package ngap

// Kind is the alternative of the NGAP-PDU (TS 38.413, 9.4.3).
type Kind uint8

// The alternatives.
const (
	Initiating Kind = iota
	Successful
	Unsuccessful
)

// String returns the field's word for the kind.
func (k Kind) String() string { return name(k, "initiating", "successful", "unsuccessful") }

// Criticality says what a receiver does that does not understand (10.3).
type Criticality uint8

// The criticalities.
const (
	Reject Criticality = iota
	Ignore
	Notify
)

// String returns the specification's word.
func (c Criticality) String() string { return name(c, "reject", "ignore", "notify") }

// Side is who may initiate a procedure.
type Side uint8

// The sides.
const (
	RAN Side = 1 << iota
	AMF
)

// String returns "RAN", "AMF" or "both".
func (s Side) String() string { return name(s, "", "RAN", "AMF", "both") }

// Association says whether messages belong to a UE's signalling connection.
type Association uint8

// The associations.
const (
	NonUE    Association = iota
	UE                   // RAN and AMF UE NGAP ID, or those the procedure has
	EitherUE             // Error Indication: with IDs or without
)

// String returns "non-UE", "UE" or "either".
func (a Association) String() string { return name(a, "non-UE", "UE", "either") }

// Code is a procedure code, 0..255 (9.4.7).
type Code uint8

// Procedure is one elementary procedure (8.1, 9.4.3).
type Procedure struct {
	Code         Code
	Initiating   string // the messages' names; Successful and Unsuccessful "" where there is none
	Successful   string
	Unsuccessful string
	Initiator    Side
	Association  Association
	Criticality  Criticality // of the procedure, in each of its messages
}

// Class is 1 for a procedure that is answered, else 2 (8.1).
func (p *Procedure) Class() int {
	if p.Successful != "" {
		return 1
	}
	return 2
}

// Message returns the name of one of its messages, "" when it has none of the
// kind.
func (p *Procedure) Message(k Kind) string {
	switch k {
	case Initiating:
		return p.Initiating
	case Successful:
		return p.Successful
	}
	return p.Unsuccessful
}

// Lookup returns the row of a code, nil for a code without one.
func Lookup(c Code) *Procedure {
	if int(c) >= len(procedures) {
		return nil
	}
	return &procedures[c]
}

// String returns the name of the procedure's initiating message, or "Code(0x57)".
func (c Code) String() string {
	if p := Lookup(c); p != nil {
		return p.Initiating
	}
	return "Code(0x" + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) + ")"
}

// Procedures returns the whole table in the order of codes. It is not to be
// changed.
func Procedures() []Procedure { return procedures[:] }

func name[T ~uint8](v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return "?"
}
