package ngmsg

import "github.com/free5gc/ngap/ngapType"

// Connection is a UE-associated logical NG-connection; an ID that is not there is
// nil.
type Connection struct {
	AMF *uint64
	RAN *uint32
}

// Pair is a Connection with both IDs.
func Pair(amf uint64, ran uint32) Connection { return Connection{&amf, &ran} }

// Connections is the IE UE-associated Logical NG-connection List.
func Connections(list []Connection) *ngapType.UEAssociatedLogicalNGConnectionList {
	o := &ngapType.UEAssociatedLogicalNGConnectionList{}
	for _, c := range list {
		var i ngapType.UEAssociatedLogicalNGConnectionItem
		if c.AMF != nil {
			i.AMFUENGAPID = AMFID(*c.AMF)
		}
		if c.RAN != nil {
			i.RANUENGAPID = RANID(*c.RAN)
		}
		o.List = append(o.List, i)
	}
	return o
}

// ReadConnections is its inverse.
func ReadConnections(l *ngapType.UEAssociatedLogicalNGConnectionList) (list []Connection) {
	if l == nil {
		return nil
	}
	for _, i := range l.List {
		var c Connection
		if i.AMFUENGAPID != nil {
			v := uint64(i.AMFUENGAPID.Value)
			c.AMF = &v
		}
		if i.RANUENGAPID != nil {
			v := uint32(i.RANUENGAPID.Value)
			c.RAN = &v
		}
		list = append(list, c)
	}
	return list
}

// Reset is the IE Reset Type: the whole interface, or what list names.
func Reset(list []Connection) *ngapType.ResetType {
	if list == nil {
		return &ngapType.ResetType{Present: ngapType.ResetTypePresentNGInterface,
			NGInterface: &ngapType.ResetAll{Value: ngapType.ResetAllPresentResetAll}}
	}
	return &ngapType.ResetType{Present: ngapType.ResetTypePresentPartOfNGInterface, PartOfNGInterface: Connections(list)}
}

// ReleaseIDs is the IE UE NGAP IDs: a pair, or the AMF's alone.
func ReleaseIDs(c Connection) *ngapType.UENGAPIDs {
	if c.RAN == nil {
		return &ngapType.UENGAPIDs{Present: ngapType.UENGAPIDsPresentAMFUENGAPID, AMFUENGAPID: AMFID(*c.AMF)}
	}
	return &ngapType.UENGAPIDs{Present: ngapType.UENGAPIDsPresentUENGAPIDPair,
		UENGAPIDPair: &ngapType.UENGAPIDPair{AMFUENGAPID: *AMFID(*c.AMF), RANUENGAPID: *RANID(*c.RAN)}}
}

// ReadReleaseIDs is its inverse.
func ReadReleaseIDs(u *ngapType.UENGAPIDs) (c Connection) {
	switch {
	case u == nil:
	case u.UENGAPIDPair != nil:
		return Pair(uint64(u.UENGAPIDPair.AMFUENGAPID.Value), uint32(u.UENGAPIDPair.RANUENGAPID.Value))
	case u.AMFUENGAPID != nil:
		v := uint64(u.AMFUENGAPID.Value)
		c.AMF = &v
	}
	return c
}

// IDs are the UE NGAP IDs of a message that has them as IEs of their own.
func (m *Message) IDs() (c Connection) {
	if a := Get[ngapType.AMFUENGAPID](m, ngapType.ProtocolIEIDAMFUENGAPID); a != nil {
		v := uint64(a.Value)
		c.AMF = &v
	}
	if r := Get[ngapType.RANUENGAPID](m, ngapType.ProtocolIEIDRANUENGAPID); r != nil {
		v := uint32(r.Value)
		c.RAN = &v
	}
	return c
}

// NAS is the message's NAS-PDU, nil for none.
func (m *Message) NAS() []byte {
	if n := Get[ngapType.NASPDU](m, ngapType.ProtocolIEIDNASPDU); n != nil {
		return n.Value
	}
	return nil
}
