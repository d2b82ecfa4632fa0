package gb

import "poolgw/pool"

// ReasonText is the meaning of a decision's reason, by the name that
// PoolState.Reasons and Answer.Reason have; "" for a name that is none.
func ReasonText(name string) string {
	for r := pool.Reason(0); r < pool.Reasons; r++ {
		if r.String() == name {
			return r.Text()
		}
	}
	return ""
}
