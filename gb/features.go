package gb

import "poolgw/bssgp"

// Features (TS 48.018 11.3.40, 11.3.84) are exchanged when a signalling BVC is
// reset; what both ends have is negotiated. Toward an SGSN we have what is
// configured: its BVC is reset before any BSS is known. Toward a BSS we have of
// that what all SGSNs that are up have. No change of these sets resets a BVC:
// it counts from the next reset on.
//
// With nothing configured, as osmo-gbproxy, nothing is negotiated and nothing
// refused: peers that do without the bitmaps go on. Once something is, a PDU of
// a feature that its BSS has not negotiated does not go there.

// features is what is configured.
func (c *Config) features() bssgp.Features {
	return bssgp.Features(c.FeatureBitmap) | bssgp.Features(c.ExtendedFeatureBitmap)<<8
}

// bssFeatures is what BSSs are told: while no SGSN is up, what is configured.
func (g *Gateway) bssFeatures() bssgp.Features {
	f := g.cfg.features()
	for _, m := range g.members {
		if m.up {
			f &= m.sig.fsm.PeerFeatures()
		}
	}
	return f
}

// offer sets what the reset of a signalling BVC that is about to be sent or
// answered tells. While ours runs, what it has told holds.
func (b *bvc) offer() {
	switch {
	case b.bvci != 0 || b.State() == bssgp.BVCWaitResetAck:
	case b.member != nil:
		b.fsm.SetFeatures(b.gw.cfg.features())
	default:
		b.fsm.SetFeatures(b.gw.bssFeatures())
	}
}

// agree notes what the reset of a peer's signalling BVC has negotiated.
func (g *Gateway) agree(b *bvc) {
	b.peer.features = b.fsm.Features() & b.fsm.PeerFeatures()
	g.setLacks(b.peer)
}

// setLacks notes, for the workers too, which features a peer is to be spared.
func (g *Gateway) setLacks(p *peer) {
	lacks := bssgp.Features(0)
	if g.cfg.features() != 0 {
		lacks = ^p.features
	}
	p.lacks.Store(uint32(lacks))
}

func (p *peer) lacksAny(f bssgp.Features) bool { return bssgp.Features(p.lacks.Load())&f != 0 }

// lacking tells that a PDU type is of a feature that a BSS has not negotiated.
func (p *peer) lacking(typ bssgp.PDUType) bool {
	need := featureOf[typ]
	return need != 0 && p.lacksAny(need)
}

// featureOf is the feature that a downlink PDU type belongs to; 0: none. Only
// those are here whose procedures a clause ties to a feature.
var featureOf = [256]bssgp.Features{
	bssgp.TypeCreateBSSPFC: bssgp.FeatPFC, // 8a
	bssgp.TypeModifyBSSPFC: bssgp.FeatPFC,
	bssgp.TypeDeleteBSSPFC: bssgp.FeatPFC,

	bssgp.TypeFlowControlPFCAck: bssgp.FeatPFCFC, // 8.2

	bssgp.TypePSHORequiredAck:  bssgp.FeatPSHO, // 8a.5 to 8a.10
	bssgp.TypePSHORequiredNack: bssgp.FeatPSHO,
	bssgp.TypePSHORequest:      bssgp.FeatPSHO,
	bssgp.TypePSHOCompleteAck:  bssgp.FeatPSHO,

	bssgp.TypePerformLocationRequest: bssgp.FeatLCS, // 8b
	bssgp.TypePerformLocationAbort:   bssgp.FeatLCS,
	bssgp.TypePositionResponse:       bssgp.FeatLCS,

	bssgp.TypeMBMSSessionStartRequest:  bssgp.FeatMBMS, // 8d
	bssgp.TypeMBMSSessionStopRequest:   bssgp.FeatMBMS,
	bssgp.TypeMBMSSessionUpdateRequest: bssgp.FeatMBMS,

	bssgp.TypeRANInformation:                 bssgp.FeatRIM, // 8c
	bssgp.TypeRANInformationRequest:          bssgp.FeatRIM,
	bssgp.TypeRANInformationAck:              bssgp.FeatRIM,
	bssgp.TypeRANInformationError:            bssgp.FeatRIM,
	bssgp.TypeRANInformationApplicationError: bssgp.FeatRIM,
}

// lacked refuses a PDU for a BSS that has not negotiated its feature. An SGSN
// takes us for a BSS and is told; a BSS has no part in another one's features.
func (g *Gateway) lacked(m *message) outcome {
	if m.dir == bssgp.Downlink {
		return refused(dropFeature, bssgp.CausePDUNotCompatibleWithFeatureSet)
	}
	return dropped(dropFeature)
}
