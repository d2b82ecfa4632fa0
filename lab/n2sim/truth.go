package n2sim

// UETruth is what happened to one UE, or to all of a RAN.
type UETruth struct {
	Registrations uint64 // accepted, initial and mobility
	Periodic      uint64 // accepted
	Services      uint64 // accepted, also after paging
	Paged         uint64
	Deregistered  uint64
	Identified    uint64 // asked for its SUCI
	Echoes        uint64 // sent
	Answered      uint64 // of these
	Lost          uint64 // never answered
	Rejected      uint64
	Stale         uint64 // of these, with cause 9 or 10
	Interrupted   uint64 // released in the middle of a procedure
	TimedOut      uint64 // procedures that nobody answered
	Moves         uint64 // idle, to another gNB
	PathSwitches  uint64
	Handovers     uint64 // by N2
	MobilityFails uint64 // of either kind
	AMFChanges    uint64 // answered by another AMF than before
	WrongUE       uint64 // got what was another's
	WrongAMF      uint64 // answered by an AMF that did not give its 5G-GUTI
	Unreadable    uint64 // NAS messages
}

// add adds o to t.
func (t *UETruth) add(o UETruth) {
	for i, p := range t.fields() {
		*p += *o.fields()[i]
	}
}

func (t *UETruth) fields() []*uint64 {
	return []*uint64{&t.Registrations, &t.Periodic, &t.Services, &t.Paged, &t.Deregistered, &t.Identified, &t.Echoes, &t.Answered,
		&t.Lost, &t.Rejected, &t.Stale, &t.Interrupted, &t.TimedOut, &t.Moves, &t.PathSwitches, &t.Handovers,
		&t.MobilityFails, &t.AMFChanges, &t.WrongUE, &t.WrongAMF, &t.Unreadable}
}

// GNBTruth is what happened to a gNB.
type GNBTruth struct {
	ID            uint32
	Up            bool // NG Setup was answered
	AMFName       string
	Capacity      int64
	GUAMIs        int
	Contexts      int // UE contexts
	Sent, Got     uint64
	Setups        uint64 // answered
	SetupFailures uint64
	Lost          uint64 // associations that ended
	Errors        uint64 // Error Indications that came
	ErrorsSent    uint64
	Updates       uint64 // AMF Configuration Updates
	Resets        uint64 // that came
	ResetsDone    uint64 // own ones, acknowledged
	RANUpdates    uint64 // acknowledged
	Overloads     uint64 // Overload Starts
	Statuses      uint64 // AMF Status Indications
	Pagings       uint64
	PagingsOther  uint64 // of UEs that are not here
	UnknownUE     uint64 // messages of a UE that is not here
	Unreadable    uint64
	Unexpected    uint64 // messages that an AMF may not send, or that were not asked for
}

// AMFTruth is what happened to an AMF.
type AMFTruth struct {
	Name          string
	Associations  int
	Subscribers   int // UEs registered here
	Contexts      int // UE contexts
	Sent, Got     uint64
	Setups        uint64
	Registrations uint64 // begun by a UE without, or with a foreign, identity
	Returned      uint64 // registrations with an own 5G-GUTI
	Periodic      uint64
	Services      uint64
	Deregistered  uint64
	Foreign       uint64 // initial messages with another AMF's identity
	Unknown       uint64 // initial messages with an own identity that is not known
	Echoes        uint64
	PathSwitches  uint64
	Handovers     uint64
	Resets        uint64
	RANUpdates    uint64
	Errors        uint64 // Error Indications that came
	WrongUE       uint64 // content that belongs to another UE than the context's
	WrongIDs      uint64 // IDs that are no context's, or another gNB's
	Ignored       uint64 // while it hung
	Unreadable    uint64
	Acknowledged  uint64 // AMF Configuration Updates
	Refused       uint64
}
