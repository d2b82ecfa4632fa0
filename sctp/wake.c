//go:build usrsctp

// Whom to wake. The library calls back from its own threads after each packet, an
// acknowledgement or any other. They do not enter Go, where they would wait for its
// scheduler's leave: they put the socket into a list and, where that was empty, ring
// a bell that Go's poller hears.

#include "userspace.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <usrsctp.h>

// A slot is never freed but used again: a thread of the library may come late. All
// that can happen then is that somebody is woken in vain.
struct pg_slot {
	struct pg_slot *next;
	atomic_int due;     // of pg_due; not 0: it is in the list
	atomic_int watched; // somebody waits for room to write, too
	uint32_t number;
};

static _Atomic(struct pg_slot *) list;
static struct pg_slot *taken; // from the list, by the one who hears the bell
static int bell = -1;

int pg_bell(void) {
	if (bell < 0)
		bell = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return bell;
}

struct pg_slot *pg_slot_new(uint32_t number) {
	struct pg_slot *s = calloc(1, sizeof *s);
	if (!s)
		abort(); // as Go does when there is no memory
	s->number = number;
	return s;
}

void pg_watch(struct pg_slot *s, int on) { atomic_store(&s->watched, on); }

// Nobody reads the bell: each writing is an event of its own to an edge-triggered poller.
static void ring(void) {
	static const uint64_t one = 1;
	ssize_t n;
	do
		n = write(bell, &one, sizeof one);
	while (n < 0 && errno == EINTR);
}

static void wake(struct pg_slot *s, int what) {
	if (atomic_fetch_or(&s->due, what))
		return;
	struct pg_slot *first = atomic_load(&list);
	do
		s->next = first;
	while (!atomic_compare_exchange_weak(&list, &first, s));
	if (!first)
		ring();
}

static void upcall(struct socket *so, void *slot, int flags) {
	struct pg_slot *s = slot;
	(void)flags;
	if (!s)
		return; // it was closed while the library was on its way
	int events = usrsctp_get_events(so), what = 0;
	if (events & (SCTP_EVENT_READ | SCTP_EVENT_ERROR))
		what = PG_READABLE;
	if (atomic_load(&s->watched) && events & (SCTP_EVENT_WRITE | SCTP_EVENT_ERROR))
		what |= PG_WRITABLE;
	if (what)
		wake(s, what);
}

// Never without a function: the library looks whether there is one and calls it
// later, without a lock in between.
void pg_attach(struct socket *so, struct pg_slot *s) { usrsctp_set_upcall(so, upcall, s); }

int pg_take(struct pg_due *due, int room) {
	int n = 0;
	if (!taken)
		taken = atomic_exchange(&list, NULL);
	for (; taken && n < room; n++) {
		struct pg_slot *s = taken;
		taken = s->next; // before it can be in the list again
		due[n].number = s->number;
		due[n].what = atomic_exchange(&s->due, 0);
	}
	return n;
}
