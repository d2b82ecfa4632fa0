// Package gb is the Gb gateway: BSSs on one side see one SGSN, behind it is a
// pool of SGSNs. It holds cells, BVCs, the routing of every BSSGP PDU type
// between both sides, the caches and the activity table.
//
// The way of a user data PDU: an ns worker reads it, DataPath.Data (path.go)
// looks up its row in the routing table (route.go), asks pool for the member,
// and forwards it out of the same worker. All else goes to the loop (loop.go).
package gb
