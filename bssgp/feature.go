package bssgp

import "strings"

// Features are what an entity supports (TS 48.018 11.3.40 and 11.3.84): the
// Feature Bitmap in the low octet, the Extended Feature Bitmap in the high one.
// They are exchanged when BVCI 0 is reset; what both have is negotiated.
type Features uint16

const (
	FeatPFC   Features = 1 << iota // packet flow contexts
	FeatCBL                        // current bucket level
	FeatINR                        // inter-NSE re-routeing
	FeatLCS                        // location services
	FeatRIM                        // RAN information management
	FeatPFCFC                      // PFC flow control
	FeatERS                        // enhanced radio status
	FeatMBMS                       // multimedia broadcast
	FeatPSHO                       // PS handover
	FeatGBIT                       // gigabit interface: flow control granularity
	FeatMOCN                       // multi-operator core network
	FeatCSPS                       // CS/PS coordination enhancements
	FeatECIoT                      // extended coverage GSM for IoT
	FeatDCN                        // dedicated core networks
	FeatEDRX                       // extended DRX
	FeatMSAD                       // MS-assisted dedicated core network selection
)

var featureNames = [16]string{"PFC", "CBL", "INR", "LCS", "RIM", "PFC-FC", "ERS", "MBMS",
	"PSHO", "GBIT", "MOCN", "CSPS", "EC-IoT", "DCN", "eDRX", "MSAD"}

// String lists the features, "none" for none.
func (f Features) String() string {
	var names []string
	for i, n := range featureNames {
		if f&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ",")
}

// ReadFeatures reads both bitmaps of a BVC-RESET or BVC-RESET-ACK; an absent
// one has no features.
func ReadFeatures(pdu []byte) Features {
	var f Features
	if v, ok := Find(pdu, IEFeatureBitmap); ok && len(v) > 0 {
		f = Features(v[0])
	}
	if v, ok := Find(pdu, IEExtendedFeatureBitmap); ok && len(v) > 0 {
		f |= Features(v[0]) << 8
	}
	return f
}
