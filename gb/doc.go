// Package gb is the Gb gateway: BSSs on one side see one SGSN, behind it is a
// pool of SGSNs. It holds cells, BVCs, the routing of every BSSGP PDU type
// between both sides, the caches and the activity table (TS 48.018, TS 23.236).
//
// The way of a user data PDU: an ns worker reads it, Gateway.Data (path.go)
// looks up its row in the routing table (table.go), asks pool for the member
// (selection.go) and forwards it out of the same worker. All else goes to the
// loop (loop.go), where dispatch.go checks it and its rule (rules.go) does the
// rest.
//
// To add a PDU type: define it in bssgp, add its row to routing (table.go) and
// write doc/routing.md anew (go generate). A rule that does not exist yet gets
// a constant and a ruleDef in rules.go.
//
// It is not the NS layer (ns), nor the BVC machine (bssgp), nor does it decide
// which SGSN a subscriber has (pool). It knows neither VTY nor files.
package gb
