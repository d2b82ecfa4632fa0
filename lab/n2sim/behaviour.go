package n2sim

import "time"

// Behaviour is how UEs live, once RAN.Live was called: a mean duration for each
// thing, 0 for never. A UE that is idle does what comes first.
type Behaviour struct {
	Start      time.Duration // they register within
	Inactivity time.Duration // the gNB asks for the release of a UE without user data; also without Live
	Backoff    time.Duration // after a reject; at least 1 s
	Service    time.Duration // idle: user data
	Periodic   time.Duration // idle: periodic registration
	Move       time.Duration // idle: to another gNB of the RAN, with a mobility registration
	Off        time.Duration // idle: switched off; on again within Start
	Xn, N2     float64       // share of the connections in which a handover happens
	Talk       float64       // share of user data that are followed by more
}

// nothingToDo decides what comes next.
func (u *UE) nothingToDo() {
	b := &u.ran.cfg.Behaviour
	switch u.phase {
	case connected:
		u.talk(b)
	case idle:
		if u.live {
			u.next(b)
		}
	case off:
		if u.live && b.Off > 0 {
			u.arm(u.ran.upTo(b.Start), u.register)
		}
	}
}

// talk goes on, moves, or leaves the UE to the gNB's inactivity timer.
func (u *UE) talk(b *Behaviour) {
	r := u.ran
	if u.live && r.random.Float64() < b.Talk {
		u.arm(time.Second, u.echo)
		return
	}
	if u.live && len(r.gnbs) > 1 {
		switch to, x := u.elsewhere(), r.random.Float64(); {
		case x < b.Xn:
			u.arm(time.Second, func() { u.switchTo(to, true) })
			return
		case x < b.Xn+b.N2:
			u.arm(time.Second, func() { u.switchTo(to, false) })
			return
		}
	}
	if b.Inactivity > 0 {
		u.arm(b.Inactivity, u.inactive)
	}
}

// switchTo hands the UE over and has it send user data from there.
func (u *UE) switchTo(to *GNB, xn bool) {
	if xn {
		to.pathSwitch(u)
	} else {
		u.gnb.handover(u, to)
	}
	u.arm(time.Second, u.echo)
}

// elsewhere is another gNB.
func (u *UE) elsewhere() *GNB {
	g := u.ran.gnbs
	i := u.ran.random.IntN(len(g) - 1)
	if g[i] == u.gnb {
		i = len(g) - 1
	}
	return g[i]
}

// next arms what an idle UE does first: each mean duration is that of an
// exponential distribution.
func (u *UE) next(b *Behaviour) {
	var first func()
	var when time.Duration
	for _, c := range []struct {
		mean time.Duration
		do   func()
	}{{b.Service, u.service}, {b.Periodic, u.periodic}, {b.Off, u.deregister},
		{b.Move, func() { u.move() }}} {
		if c.mean <= 0 {
			continue
		}
		if d := time.Duration(u.ran.random.ExpFloat64() * float64(c.mean)); first == nil || d < when {
			first, when = c.do, d
		}
	}
	if first != nil {
		u.arm(when, first)
	}
}

func (u *UE) move() {
	if len(u.ran.gnbs) > 1 {
		u.camp(u.elsewhere())
	}
	u.mobility()
}
