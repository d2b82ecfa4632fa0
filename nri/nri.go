package nri

import (
	"errors"
	"fmt"
	"strconv"
)

// MaxBitLen is the longest NRI poolgw takes, in bits. TS 23.236 has 0..10;
// osmo-gbproxy takes 0..15.
const MaxBitLen = 15

// Max is the largest NRI value of Gb, 32767.
const Max V = 1<<MaxBitLen - 1

// V is an NRI value, 0..32767; of an AMF (Set and Pointer) 0..65535.
type V = uint16

// ErrOrder is returned for a range whose first value is above its last, ErrMax
// for one that goes beyond Max.
var (
	ErrOrder = errors.New("nri: first value above last")
	ErrMax   = errors.New("nri: value above 32767")
)

// Range is a closed interval of NRI values, First <= Last.
type Range struct {
	First V `json:"first"`
	Last  V `json:"last"`
}

// Single is the range of one value.
func Single(v V) Range { return Range{First: v, Last: v} }

// Check returns an error wrapping ErrOrder or ErrMax when r is no range.
func (r Range) Check() error {
	if err := r.checkOrder(); err != nil {
		return err
	}
	if r.Last > Max {
		return fmt.Errorf("%w: %s", ErrMax, r.Dots())
	}
	return nil
}

func (r Range) checkOrder() error {
	if r.First > r.Last {
		return fmt.Errorf("%w: %s", ErrOrder, r.Dots())
	}
	return nil
}

// Contains reports whether v is in r.
func (r Range) Contains(v V) bool { return r.First <= v && v <= r.Last }

// Overlaps reports whether r and o share a value.
func (r Range) Overlaps(o Range) bool { return r.First <= o.Last && o.First <= r.Last }

// Len is the number of values in r.
func (r Range) Len() int { return int(r.Last) - int(r.First) + 1 }

// String is the form of shows: "1-341", "500".
func (r Range) String() string { return r.join("-") }

// VTY is the form of the arguments of "nri add": "1 341", "500".
func (r Range) VTY() string { return r.join(" ") }

// Dots is the form of osmo-gbproxy's messages about a range: "7..3", "500".
func (r Range) Dots() string { return r.join("..") }

func (r Range) join(sep string) string {
	first := strconv.Itoa(int(r.First))
	if r.First == r.Last {
		return first
	}
	return first + sep + strconv.Itoa(int(r.Last))
}

// Exceeds reports whether r has values that bitLen bits can't hold. With 0 bits
// every range does, as osmo-gbproxy's warning has it.
func (r Range) Exceeds(bitLen uint8) bool { return bitLen == 0 || int(r.Last) >= 1<<bitLen }
