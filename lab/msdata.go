package lab

import (
	"slices"
	"time"

	"poolgw/lab/llc"
)

// busy tells that an echo is awaited or the subscriber is suspended: what would
// lose the answer waits.
func (m *ms) busy() bool { return m.suspended || len(m.outstanding) > 0 }

// dataDue sends an echo request.
func (m *ms) dataDue(now time.Time) {
	m.set(msData, now, m.b.Data)
	if m.state != msRegistered || m.suspended || !m.at.ready(m) || len(m.outstanding) >= maxOutstanding {
		return
	}
	m.noteServing()
	m.seq++
	m.count.Sent++
	m.outstanding = append(m.outstanding, sentPing{m.seq, now, m.served})
	if m.due[msLost].IsZero() {
		m.due[msLost] = now.Add(m.b.LostAfter)
	}
	m.frame(now, llc.SAPILL3, ping{subscriber: m.id, seq: m.seq, pad: m.b.Pad}.append(nil))
}

// echo takes the answer to an echo request.
func (m *ms) echo(now time.Time, sdu []byte) {
	p, err := parsePing(sdu)
	if err != nil || !p.reply || p.subscriber != m.id {
		m.count.Unintelligible++
		return
	}
	i := slices.IndexFunc(m.outstanding, func(s sentPing) bool { return s.seq == p.seq })
	if i < 0 {
		m.count.Duplicates++
		return
	}
	if m.outstanding[i].serving != p.sgsn {
		m.count.WrongSGSN++
	}
	if p.seq < m.lastEcho {
		m.count.Disordered++
	}
	m.lastEcho = max(m.lastEcho, p.seq)
	m.count.Echoed++
	m.outstanding = slices.Delete(m.outstanding, i, i+1)
}

// lostDue gives up the echoes that should have come.
func (m *ms) lostDue(now time.Time) {
	for len(m.outstanding) > 0 && !m.outstanding[0].at.Add(m.b.LostAfter).After(now) {
		m.count.Lost++
		m.at.lost(m.outstanding[0].serving)
		m.outstanding = m.outstanding[1:]
	}
	if len(m.outstanding) > 0 {
		m.due[msLost] = m.outstanding[0].at.Add(m.b.LostAfter)
	}
}

// interrupt gives up the echoes that the SGSN will not send any more.
func (m *ms) interrupt() {
	m.count.Interrupted += uint64(len(m.outstanding))
	m.outstanding = nil
}

// noteServing notes who serves the subscriber. If nobody does, it stays with who
// did: that SGSN has died, and what is sent is lost with it.
func (m *ms) noteServing() {
	if nsei, ok := m.at.serving(m.imsi); ok {
		m.served = nsei
	}
}
