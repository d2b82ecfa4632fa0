//go:build usrsctp

#include "userspace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <usrsctp.h>

// The numbers of PathState.
enum { unconfirmed, active, inactive, removed };

static int result(int r) { return r < 0 ? errno : 0; }

int pg_init(uint16_t udp_port, int shared) {
	pg_start(udp_port);
	usrsctp_sysctl_set_sctp_ecn_enable(0);
	usrsctp_sysctl_set_sctp_auto_asconf(0);
	usrsctp_sysctl_set_sctp_asconf_enable(0);
	// An address that other stacks use too: what is not ours is not aborted.
	usrsctp_sysctl_set_sctp_blackhole(shared ? 2 : 0);
	return 0;
}

static socklen_t to_sockaddr(const struct pg_address *a, uint16_t port, struct sockaddr_storage *s) {
	memset(s, 0, sizeof *s);
	if (a->family == 4) {
		struct sockaddr_in *in = (struct sockaddr_in *)s;
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, a->octets, 4);
		return sizeof *in;
	}
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)s;
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	memcpy(&in6->sin6_addr, a->octets, 16);
	return sizeof *in6;
}

// The length of s, 0 when it is no address of the Internet.
static size_t from_sockaddr(const struct sockaddr *s, struct pg_address *a, uint16_t *port) {
	memset(a, 0, sizeof *a);
	if (s->sa_family == AF_INET) {
		const struct sockaddr_in *in = (const struct sockaddr_in *)s;
		a->family = 4;
		memcpy(a->octets, &in->sin_addr, 4);
		*port = ntohs(in->sin_port);
		return sizeof *in;
	}
	if (s->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)s;
		a->family = 6;
		memcpy(a->octets, &in6->sin6_addr, 16);
		*port = ntohs(in6->sin6_port);
		return sizeof *in6;
	}
	return 0;
}

// The library wants the addresses one behind the other.
static size_t pack(const struct pg_endpoint *e, uint8_t *buffer) {
	size_t n = 0;
	for (int i = 0; i < e->count; i++) {
		struct sockaddr_storage s;
		socklen_t l = to_sockaddr(&e->address[i], e->port, &s);
		memcpy(buffer + n, &s, l);
		n += l;
	}
	return n;
}

static int set(struct socket *so, int name, const void *v, socklen_t n) {
	return result(usrsctp_setsockopt(so, IPPROTO_SCTP, name, v, n));
}

static int set_events(struct socket *so) {
	static const uint16_t wanted[] = {SCTP_ASSOC_CHANGE, SCTP_PEER_ADDR_CHANGE, SCTP_SEND_FAILED_EVENT, SCTP_PARTIAL_DELIVERY_EVENT};
	for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
		struct sctp_event e = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = wanted[i], .se_on = 1};
		int err = set(so, SCTP_EVENT, &e, sizeof e);
		if (err)
			return err;
	}
	return 0;
}

static int set_options(struct socket *so, const struct pg_options *o) {
	struct sctp_initmsg init = {o->streams, o->streams, o->init_attempts, o->init_timeout_ms};
	struct sctp_rtoinfo rto = {SCTP_FUTURE_ASSOC, o->rto_initial_ms, o->rto_max_ms, o->rto_min_ms};
	struct sctp_assocparams assoc = {.sasoc_assoc_id = SCTP_FUTURE_ASSOC, .sasoc_asocmaxrxt = o->assoc_max_retrans};
	struct sctp_paddrparams peer = {.spp_assoc_id = SCTP_FUTURE_ASSOC, .spp_hbinterval = o->heartbeat_ms,
		.spp_pathmaxrxt = o->path_max_retrans, .spp_flags = SPP_HB_ENABLE};
	struct sctp_udpencaps encaps = {.sue_assoc_id = SCTP_FUTURE_ASSOC, .sue_port = htons(o->encapsulation)};
	int on = 1, err;

	if (o->dscp) {
		peer.spp_flags |= SPP_DSCP;
		peer.spp_dscp = o->dscp << 2;
	}
	if ((err = set(so, SCTP_INITMSG, &init, sizeof init)) || (err = set(so, SCTP_RTOINFO, &rto, sizeof rto)) ||
		(err = set(so, SCTP_ASSOCINFO, &assoc, sizeof assoc)) || (err = set(so, SCTP_PEER_ADDR_PARAMS, &peer, sizeof peer)) ||
		(err = set(so, SCTP_NODELAY, &on, sizeof on)) || (err = set(so, SCTP_RECVRCVINFO, &on, sizeof on)) || (err = set_events(so)))
		return err;
	if (o->encapsulation && (err = set(so, SCTP_REMOTE_UDP_ENCAPS_PORT, &encaps, sizeof encaps)))
		return err;
	if (o->send_buffer && (err = result(usrsctp_setsockopt(so, SOL_SOCKET, SO_SNDBUF, &o->send_buffer, sizeof(int)))))
		return err;
	if (o->receive_buffer && (err = result(usrsctp_setsockopt(so, SOL_SOCKET, SO_RCVBUF, &o->receive_buffer, sizeof(int)))))
		return err;
	return 0;
}

int pg_open(const struct pg_endpoint *local, int inet6, const struct pg_options *o, struct pg_slot *slot, struct socket **so, struct pg_source **source) {
	uint8_t buffer[32 * sizeof(struct sockaddr_in6)];
	int err;

	*so = usrsctp_socket(inet6 ? AF_INET6 : AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
	if (!*so)
		return errno;
	err = result(usrsctp_set_non_blocking(*so, 1));
	if (!err)
		err = set_options(*so, o);
	if (!err) {
		struct pg_endpoint one = *local, all = *local;
		// The first address chooses the port, the others follow it.
		for (int i = 0; i < local->count && !err; i++) {
			one.count = 1;
			one.address[0] = local->address[i];
			pack(&one, buffer);
			err = result(usrsctp_bindx(*so, (struct sockaddr *)buffer, 1, SCTP_BINDX_ADD_ADDR));
			if (!err && !one.port) {
				struct pg_endpoint now;
				pg_addresses(*so, 0, &now);
				one.port = now.port;
			}
		}
		all.port = one.port;
		*source = err ? NULL : pg_source_add(&all);
	}
	if (err) {
		usrsctp_close(*so);
		*so = NULL;
		return err;
	}
	pg_attach(*so, slot);
	return 0;
}

int pg_listen(struct socket *so, int backlog) { return result(usrsctp_listen(so, backlog)); }

int pg_accept(struct socket *listener, struct pg_slot *slot, struct socket **so) {
	*so = usrsctp_accept(listener, NULL, NULL);
	if (!*so)
		return errno ? errno : EAGAIN;
	usrsctp_set_non_blocking(*so, 1);
	pg_attach(*so, slot);
	return 0;
}

int pg_connect(struct socket *so, const struct pg_endpoint *remote) {
	uint8_t buffer[32 * sizeof(struct sockaddr_in6)];
	pack(remote, buffer);
	return result(usrsctp_connectx(so, (struct sockaddr *)buffer, remote->count, NULL));
}

static int path_state(uint32_t change) {
	switch (change) {
	case SCTP_ADDR_UNREACHABLE:
		return inactive;
	case SCTP_ADDR_REMOVED:
		return removed;
	case SCTP_ADDR_ADDED:
		return unconfirmed;
	}
	return active;
}

static void assoc_change(const struct sctp_assoc_change *c, int n, struct pg_event *e) {
	e->error = c->sac_error;
	switch (c->sac_state) {
	case SCTP_RESTART:
		e->kind = PG_RESTART;
		return;
	case SCTP_COMM_LOST:
		e->association = PG_COMM_LOST;
		break;
	case SCTP_SHUTDOWN_COMP:
		e->association = PG_SHUTDOWN_COMPLETE;
		break;
	case SCTP_CANT_STR_ASSOC:
		e->association = PG_CANNOT_START;
		break;
	default:
		return;
	}
	e->kind = PG_DOWN;
	e->info_at = sizeof *c;
	e->info_length = n - (int)sizeof *c;
}

void pg_notice(const void *notice, int n, struct pg_event *e) {
	const union sctp_notification *s = notice;
	uint16_t port;
	memset(e, 0, sizeof *e);
	e->kind = PG_NOTHING;
	if (n < (int)sizeof s->sn_header)
		return;
	switch (s->sn_header.sn_type) {
	case SCTP_ASSOC_CHANGE:
		if (n >= (int)sizeof s->sn_assoc_change)
			assoc_change(&s->sn_assoc_change, n, e);
		break;
	case SCTP_PEER_ADDR_CHANGE:
		if (n < (int)sizeof s->sn_paddr_change)
			break;
		if (from_sockaddr((const struct sockaddr *)&s->sn_paddr_change.spc_aaddr, &e->path, &port))
			e->kind = PG_PATH;
		e->path_state = path_state(s->sn_paddr_change.spc_state);
		break;
	case SCTP_SEND_FAILED_EVENT:
		if (n < (int)sizeof s->sn_send_failed_event)
			break;
		e->kind = PG_SEND_FAILED;
		e->stream = s->sn_send_failed_event.ssfe_info.snd_sid;
		e->ppid = ntohl(s->sn_send_failed_event.ssfe_info.snd_ppid);
		e->info_at = sizeof s->sn_send_failed_event;
		e->info_length = n - e->info_at;
		break;
	case SCTP_PARTIAL_DELIVERY_EVENT:
		e->kind = PG_PARTIAL_ABORTED;
		break;
	}
}

int pg_recv(struct socket *so, void *buffer, size_t size, struct pg_event *e) {
	struct sockaddr_storage from;
	struct sctp_rcvinfo info;
	socklen_t from_length = sizeof from, info_length = sizeof info;
	unsigned int type = 0;
	int flags = 0;

	memset(e, 0, sizeof *e);
	memset(&info, 0, sizeof info);
	ssize_t n = usrsctp_recvv(so, buffer, size, (struct sockaddr *)&from, &from_length, &info, &info_length, &type, &flags);
	if (n < 0)
		return errno;
	e->length = n;
	e->last = (flags & MSG_EOR) != 0;
	if (flags & MSG_NOTIFICATION) {
		e->kind = PG_NOTICE;
		return 0;
	}
	e->kind = PG_DATA;
	if (type == SCTP_RECVV_RCVINFO) {
		e->stream = info.rcv_sid;
		e->ppid = ntohl(info.rcv_ppid);
	}
	return 0;
}

static _Thread_local int sending;
static atomic_ullong sends_locked;

uint64_t pg_sends_locked(void) { return sends_locked; }

// The library's send only tries the lock of the association and leaves the message
// to whoever holds it; but that thread may have looked for messages already, and then
// this one lies until the peer's next packet, a delayed acknowledgement maybe. The
// lock is held for a packet at most, and by nobody who waits for us: take it.
int pthread_mutex_trylock(pthread_mutex_t *m) {
	static const struct timespec past;
	if (sending) {
		atomic_fetch_add_explicit(&sends_locked, 1, memory_order_relaxed);
		return pthread_mutex_lock(m);
	}
	return pthread_mutex_timedlock(m, &past) ? EBUSY : 0;
}

int pg_send(struct socket *so, const void *data, size_t size, uint16_t stream, uint32_t ppid, int abort) {
	struct sctp_sndinfo info = {.snd_sid = stream, .snd_ppid = htonl(ppid), .snd_flags = abort ? SCTP_ABORT : 0};
	pg_send_begin();
	sending = 1;
	ssize_t n = usrsctp_sendv(so, data, size, NULL, 0, &info, sizeof info, SCTP_SENDV_SNDINFO, 0);
	sending = 0;
	int err = n < 0 ? errno : 0;
	pg_send_end();
	return err;
}

int pg_shutdown(struct socket *so) { return result(usrsctp_shutdown(so, SHUT_WR)); }

void pg_close(struct socket *so, int abort) {
	pg_attach(so, NULL);
	if (abort) {
		struct linger l = {1, 0};
		usrsctp_setsockopt(so, SOL_SOCKET, SO_LINGER, &l, sizeof l);
	}
	usrsctp_close(so);
}

int pg_error(struct socket *so) {
	int e = 0;
	socklen_t n = sizeof e;
	usrsctp_getsockopt(so, SOL_SOCKET, SO_ERROR, &e, &n);
	return e;
}

int pg_writable(struct socket *so) {
	return (usrsctp_get_events(so) & (SCTP_EVENT_WRITE | SCTP_EVENT_ERROR)) != 0;
}

void pg_addresses(struct socket *so, int peer, struct pg_endpoint *e) {
	struct sockaddr *all = NULL;
	memset(e, 0, sizeof *e);
	int n = peer ? usrsctp_getpaddrs(so, 0, &all) : usrsctp_getladdrs(so, 0, &all);
	const uint8_t *at = (const uint8_t *)all;
	for (int i = 0; i < n && e->count < 32; i++) {
		size_t l = from_sockaddr((const struct sockaddr *)at, &e->address[e->count], &e->port);
		if (!l)
			break;
		at += l;
		e->count++;
	}
	if (n > 0)
		peer ? usrsctp_freepaddrs(all) : usrsctp_freeladdrs(all);
}

// assoc_state is AssocState's number.
static int assoc_state(int32_t s) {
	switch (s) {
	case SCTP_CLOSED: return 1;
	case SCTP_COOKIE_WAIT: return 2;
	case SCTP_COOKIE_ECHOED: return 3;
	case SCTP_ESTABLISHED: return 4;
	case SCTP_SHUTDOWN_PENDING: return 5;
	case SCTP_SHUTDOWN_SENT: return 6;
	case SCTP_SHUTDOWN_RECEIVED: return 7;
	case SCTP_SHUTDOWN_ACK_SENT: return 8;
	}
	return 0;
}

int pg_status(struct socket *so, struct pg_status *s) {
	struct sctp_status t;
	socklen_t n = sizeof t;
	memset(&t, 0, sizeof t);
	memset(s, 0, sizeof *s);
	int err = result(usrsctp_getsockopt(so, IPPROTO_SCTP, SCTP_STATUS, &t, &n));
	s->unacked = t.sstat_unackdata;
	s->in_streams = t.sstat_instrms;
	s->out_streams = t.sstat_outstrms;
	s->state = err ? 0 : assoc_state(t.sstat_state);
	return err;
}

int pg_path(struct socket *so, const struct pg_address *a, uint16_t port, struct pg_path *p) {
	struct sctp_paddrinfo i;
	struct sctp_status t;
	socklen_t n = sizeof i;
	uint16_t ignored;
	struct pg_address primary;

	memset(&i, 0, sizeof i);
	memset(p, 0, sizeof *p);
	to_sockaddr(a, port, &i.spinfo_address);
	int err = result(usrsctp_getsockopt(so, IPPROTO_SCTP, SCTP_GET_PEER_ADDR_INFO, &i, &n));
	if (err)
		return err;
	p->state = i.spinfo_state & SCTP_UNCONFIRMED ? unconfirmed : i.spinfo_state & SCTP_ACTIVE ? active : inactive;
	p->cwnd = i.spinfo_cwnd;
	p->srtt = i.spinfo_srtt;
	p->rto = i.spinfo_rto;
	p->mtu = i.spinfo_mtu;
	n = sizeof t;
	memset(&t, 0, sizeof t);
	if (!usrsctp_getsockopt(so, IPPROTO_SCTP, SCTP_STATUS, &t, &n) &&
		from_sockaddr((const struct sockaddr *)&t.sstat_primary.spinfo_address, &primary, &ignored))
		p->primary = !memcmp(&primary, a, sizeof primary);
	return 0;
}
