package gb

import "sync/atomic"

// dropReason says why a PDU was not passed on.
type dropReason uint8

const (
	delivered         dropReason = iota // not dropped
	dropEmpty                           // no PDU type
	dropType                            // the table has no row for type, direction and kind of BVC
	dropMalformed                       // mandatory IE missing or bad
	dropBVCI                            // no such BVC
	dropBlocked                         // BVC not unblocked
	dropOtherBSS                        // a BVCI that belongs to another BSS
	dropInactive                        // the cell's BSS is gone, or has not reset the BVC yet
	dropConflict                        // BVCI claimed while another BSS that lives has it
	dropPoolDown                        // no member is up and allows attach
	dropOwnerHold                       // the owner is down, "pool owner-down-hold"
	dropNoBVC                           // the chosen SGSN has no unblocked BVC for the cell
	dropUnknownLAI                      // paging for an area without a cell
	dropUnknownRAI                      //
	dropUnknownBVCI                     // a BVCI IE names no cell
	dropNoDestination                   // nobody to send it to
	dropNoCache                         // an answer nobody waits for
	dropStatus                          // a STATUS that names nothing to route by
	dropStatusLocal                     // STATUS "BVCI unknown" or "BVCI blocked": acted on, not passed on
	dropBVCManagement                   // BVC management PDU for a BVC that is not there
	dropRIM                             // RIM routeing information that leads nowhere
	dropNSE                             // the NS layer could not carry it
	dropLimit                           // a table is full
	dropRefused                         // "pool down refuse"
	dropFormer                          // of an NSE that was an SGSN until lately
	dropFeature                         // of a feature that the BSS has not negotiated
	numDropReasons
)

var dropNames = [numDropReasons]string{
	delivered: "none", dropEmpty: "empty", dropType: "pdu_type", dropMalformed: "malformed", dropBVCI: "bvci_unknown",
	dropBlocked: "bvc_blocked", dropOtherBSS: "bvci_of_other_bss", dropInactive: "cell_inactive",
	dropConflict: "bvci_conflict", dropPoolDown: "pool_down", dropOwnerHold: "owner_down_hold",
	dropNoBVC: "no_bvc_at_sgsn", dropUnknownLAI: "unknown_lai", dropUnknownRAI: "unknown_rai",
	dropUnknownBVCI: "unknown_bvci_ie", dropNoDestination: "no_destination", dropNoCache: "no_cache_entry",
	dropStatus: "status_unroutable", dropStatusLocal: "status_local", dropBVCManagement: "bvc_management",
	dropRIM: "rim_unroutable", dropNSE: "nse_down", dropLimit: "limit", dropRefused: "pool_down_refuse",
	dropFormer: "former_sgsn", dropFeature: "feature_not_negotiated",
}

func (r dropReason) String() string { return dropNames[r] }

// drops count what was not passed on, by reason; workers count too.
type drops [numDropReasons]atomic.Uint64

func (d *drops) snapshot() map[string]uint64 {
	m := make(map[string]uint64, numDropReasons)
	for i := delivered + 1; i < numDropReasons; i++ {
		m[dropNames[i]] = d[i].Load()
	}
	return m
}
