// Package n2sim has simulated peers of an N2 gateway: gNBs with UEs (RAN, GNB,
// UE) and AMFs (AMF). They speak NGAP (TS 38.413) through lab/ngmsg and 5GMM
// (TS 24.501) through lab/nas5g, over any sctp.Transport: lab/simsctp in virtual
// time, the kernel's stack and the userspace stack.
//
// A RAN is a set of gNBs with its UEs, under one lock; UEs move between its gNBs.
// An AMF is for itself: it counts AMF UE NGAP IDs from 1, gives 5G-GUTIs with its
// own Pointer, and knows the UEs that it registered until it is started anew.
//
// Both record what happened, the truth that a gateway's figures are judged by. A
// UE's user data are NAS transport messages that name the UE and a serial number;
// the AMF answers with its own name. So a message that came to a wrong UE, or a
// wrong AMF, is seen at either end.
//
// Simplified: NULL security and no authentication, one PDU session that exists
// only in the mandatory IEs of mobility, no RRC. A gNB can have the bad habits of
// real ones (Habits). Behaviour makes UEs live by themselves.
package n2sim
