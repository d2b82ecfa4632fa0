//go:build usrsctp

// The library's timer and our sends, one at a time. At a heartbeat the timer audits an
// association that counts octets to be sent, has no chunk queued and no stream on the
// scheduler's wheel: it clears the wheel. That is so for a moment in each send, under a lock
// that the audit does not take before it looks (sctp_audit_stream_queues_for_size in
// 0.9.5). A stream that comes on the wheel between look and clearing is off it
// for good: what is sent on it is taken, never leaves, and does not even count as queued.

#define _GNU_SOURCE // thread names, and a lock that prefers writers

#include "userspace.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_rwlock_t turn = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static atomic_ullong ticks;

uint64_t pg_ticks(void) { return ticks; }

void pg_send_begin(void) { pthread_rwlock_rdlock(&turn); }
void pg_send_end(void) { pthread_rwlock_unlock(&turn); }

static int is_timer(void) {
	char name[16] = "";
	return !pthread_getname_np(pthread_self(), name, sizeof name) && !strcmp(name, "SCTP timer");
}

// The timer sleeps between two ticks by this function of the C library's name, and has
// its turn from one sleep to the next.
int nanosleep(const struct timespec *wanted, struct timespec *left) {
	static _Thread_local enum { unknown, other, between, ticking } who;
	if (who == unknown)
		who = is_timer() ? between : other;
	if (who == ticking)
		pthread_rwlock_unlock(&turn);
	int r = (int)syscall(SYS_nanosleep, wanted, left), err = errno;
	if (who == other)
		return r;
	pthread_rwlock_wrlock(&turn);
	who = ticking;
	atomic_fetch_add_explicit(&ticks, 1, memory_order_relaxed);
	errno = err;
	return r;
}
