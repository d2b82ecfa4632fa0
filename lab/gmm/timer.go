package gmm

import "time"

// GPRS timer units in bits 6 to 8, finest first (TS 24.008 10.5.7.3); 111 is
// deactivated, all others count minutes.
var timerUnits = []struct {
	code byte
	unit time.Duration
}{{0, 2 * time.Second}, {1, time.Minute}, {2, 6 * time.Minute}}

const (
	timerDeactivated = 7
	timerMax         = 31 // in bits 1 to 5
)

// timerOctet codes a time in the finest unit that holds it, rounded up, at most
// 186 minutes; 0 is deactivated.
func timerOctet(d time.Duration) byte {
	if d <= 0 {
		return timerDeactivated << 5
	}
	for _, u := range timerUnits {
		if n := (d + u.unit - 1) / u.unit; n <= timerMax {
			return u.code<<5 | byte(n)
		}
	}
	return timerUnits[2].code<<5 | timerMax
}

func timerValue(b byte) time.Duration {
	n := time.Duration(b & timerMax)
	switch code := b >> 5; code {
	case timerDeactivated:
		return 0
	case 0, 2:
		return n * timerUnits[code].unit
	}
	return n * time.Minute
}
