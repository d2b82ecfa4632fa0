//go:build usrsctp

// The library takes the addresses of an association in turn as the source of its
// packets: its routes know no interface. What it sends over IPv4 is given the
// address here that the host's routing would choose, when it is one of the same
// association's; over UDP, where the library leaves the source to the host, the
// address that the association has.

#define _GNU_SOURCE
#include "userspace.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// What the host's routing said of one destination; kept by a hash of the latter.
struct route {
	uint32_t to, from;
	time_t until;
};
enum { route_bits = 8 };

// One for each port and set of IPv4 addresses; sockets share it.
struct pg_source {
	struct pg_source *next;
	uint16_t port; // network byte order, like all here
	int users, count;
	uint32_t address[32];
	struct route *route; // NULL with one address, or none
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pg_source *by_port[1024];
static atomic_int several; // with more than one address

static struct pg_source **chain(uint16_t port) { return &by_port[ntohs(port) % 1024]; }

static int has(const struct pg_source *s, uint32_t address) {
	for (int i = 0; i < s->count; i++)
		if (s->address[i] == address)
			return 1;
	return 0;
}

struct pg_source *pg_source_add(const struct pg_endpoint *e) {
	struct pg_source *new = calloc(1, sizeof *new), *s;
	if (!new)
		return NULL;
	new->port = htons(e->port);
	new->users = 1;
	for (int i = 0; i < e->count; i++)
		if (e->address[i].family == 4)
			memcpy(&new->address[new->count++], e->address[i].octets, 4);
	if (new->count > 1 && !(new->route = calloc(1 << route_bits, sizeof *new->route))) {
		free(new);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	struct pg_source **at = chain(new->port);
	for (s = *at; s; s = s->next)
		if (s->port == new->port && s->count == new->count && !memcmp(s->address, new->address, sizeof s->address))
			break;
	if (s) {
		s->users++;
		free(new->route);
		free(new);
	} else {
		new->next = *at;
		*at = s = new;
		several += s->count > 1;
	}
	pthread_mutex_unlock(&lock);
	return s;
}

struct pg_source *pg_source_share(struct pg_source *s) {
	pthread_mutex_lock(&lock);
	if (s)
		s->users++;
	pthread_mutex_unlock(&lock);
	return s;
}

void pg_source_drop(struct pg_source *s) {
	pthread_mutex_lock(&lock);
	if (s && --s->users == 0) {
		struct pg_source **at = chain(s->port);
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		several -= s->count > 1;
		free(s->route);
		free(s);
	}
	pthread_mutex_unlock(&lock);
}

// What the host's routing takes as the source of packets to an address; 0: no route.
static uint32_t ask_host(uint32_t to) {
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = {to}};
	socklen_t n = sizeof a;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	if (connect(fd, (struct sockaddr *)&a, sizeof a) || getsockname(fd, (struct sockaddr *)&a, &n))
		a.sin_addr.s_addr = 0;
	close(fd);
	return a.sin_addr.s_addr;
}

// The same, asked once a second at most, and which of the endpoint's it is; 0: none.
static uint32_t routed(struct pg_source *s, uint32_t to) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	struct route *r = &s->route[to * 2654435761u >> (32 - route_bits)];
	if (r->to != to || r->until <= now.tv_sec) {
		uint32_t from = ask_host(to);
		r->to = to;
		r->from = has(s, from) ? from : 0;
		r->until = now.tv_sec + 1;
	}
	return r->from;
}

// The source of a packet over IP, from the address that the library took.
static uint32_t source_of(uint16_t port, uint32_t taken, uint32_t to) {
	uint32_t best = 0;
	if (!several)
		return taken;
	pthread_mutex_lock(&lock);
	for (struct pg_source *s = *chain(port); s && !best; s = s->next)
		if (s->port == port && s->count > 1 && has(s, taken))
			best = routed(s, to);
	pthread_mutex_unlock(&lock);
	return best ? best : taken;
}

// The source of a packet over UDP; 0: as the host likes, since sockets with
// different addresses have that port.
static uint32_t source_over_udp(uint16_t port, uint32_t to) {
	struct pg_source *only = NULL;
	uint32_t best = 0;
	int n = 0;
	pthread_mutex_lock(&lock);
	for (struct pg_source *s = *chain(port); s; s = s->next)
		if (s->port == port && s->count > 0) {
			only = s;
			n++;
		}
	if (n == 1) {
		best = only->count > 1 ? routed(only, to) : only->address[0];
		if (!best)
			best = only->address[0];
	}
	pthread_mutex_unlock(&lock);
	return best;
}

static ssize_t really(int fd, const struct msghdr *m, int flags) { return syscall(SYS_sendmsg, fd, m, flags); }

static ssize_t over_ip(int fd, const struct msghdr *m, int flags) {
	uint8_t *ip = m->msg_iov[0].iov_base;
	uint32_t from, to;
	uint16_t port;
	const uint8_t *sctp = ip + 20;
	if (m->msg_iov[0].iov_len < 22) { // the library may have the rest in the next piece
		if (m->msg_iovlen < 2 || m->msg_iov[0].iov_len != 20 || m->msg_iov[1].iov_len < 2)
			return really(fd, m, flags);
		sctp = m->msg_iov[1].iov_base;
	}
	memcpy(&port, sctp, 2);
	memcpy(&from, ip + 12, 4);
	memcpy(&to, ip + 16, 4);
	from = source_of(port, from, to);
	memcpy(ip + 12, &from, 4);
	return really(fd, m, flags);
}

static ssize_t over_udp(int fd, const struct msghdr *m, int flags) {
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct in_pktinfo))];
	} control;
	struct msghdr with = *m;
	uint16_t port;
	memcpy(&port, m->msg_iov[0].iov_base, 2);
	uint32_t from = source_over_udp(port, ((struct sockaddr_in *)m->msg_name)->sin_addr.s_addr);
	if (!from)
		return really(fd, m, flags);
	struct in_pktinfo info = {.ipi_spec_dst = {from}};
	memset(&control, 0, sizeof control);
	control.header.cmsg_level = IPPROTO_IP;
	control.header.cmsg_type = IP_PKTINFO;
	control.header.cmsg_len = CMSG_LEN(sizeof info);
	memcpy(CMSG_DATA(&control.header), &info, sizeof info);
	with.msg_control = &control;
	with.msg_controllen = sizeof control;
	return really(fd, &with, flags);
}

// The library's packets leave by this function of the C library's name. Over IP the
// destination has no port and the packet its IP header.
ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
	const struct sockaddr_in *to = m->msg_name;
	if (!to || m->msg_namelen < sizeof *to || to->sin_family != AF_INET || m->msg_iovlen < 1 || m->msg_control)
		return really(fd, m, flags);
	const uint8_t *first = m->msg_iov[0].iov_base;
	size_t n = m->msg_iov[0].iov_len;
	if (!to->sin_port && n >= 20 && first[0] == 0x45 && first[9] == 132)
		return over_ip(fd, m, flags);
	if (to->sin_port && n >= 12)
		return over_udp(fd, m, flags);
	return really(fd, m, flags);
}
