package load

// order follows the numbers of one subscriber's PDUs in one direction, which
// begin with 1: which came twice, which after a later one.
type order struct {
	last uint32
	seen uint64 // bit i: last-i was seen
}

type verdict uint8

const (
	inOrder   verdict = iota
	overtaken         // for the first time, but after a later one
	duplicate         // again, or so late that it can't be told
)

func (o *order) saw(seq uint32) verdict {
	if ahead := seq - o.last; int32(ahead) > 0 {
		if ahead < 64 {
			o.seen <<= ahead
		} else {
			o.seen = 0
		}
		o.last, o.seen = seq, o.seen|1
		return inOrder
	}
	behind := o.last - seq
	if behind >= 64 || o.seen&(1<<behind) != 0 {
		return duplicate
	}
	o.seen |= 1 << behind
	return overtaken
}
