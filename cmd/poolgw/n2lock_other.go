//go:build !linux

package main

import "poolgw/sctp"

// exclusive is the stack itself: there is no lock here.
type exclusive struct{ sctp.Transport }
