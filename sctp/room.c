//go:build usrsctp

// Room for the packets that wait for the library's receiving threads. It asks for 128
// KiB for each of its sockets, some 300 small packets: with a thousand associations
// that is what comes in ten milliseconds. What finds no room is lost, and sent again
// after a time-out each time; an association that loses too much ends.

#include "userspace.h"

#include <asm/socket.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <usrsctp.h>

enum { most = 4 }; // sockets: over IP and UDP, IPv4 and IPv6

static int starting, count, sockets[most];

static int really(int fd, int level, int name, const void *value, socklen_t n) {
	return (int)syscall(SYS_setsockopt, fd, level, name, value, n);
}

// The library sets the receive buffers of its sockets by this function of the C
// library's name. More than net.core.rmem_max is for CAP_NET_ADMIN.
int setsockopt(int fd, int level, int name, const void *value, socklen_t n) {
	static const int octets = PG_ROOM;
	if (!starting || level != SOL_SOCKET || name != SO_RCVBUF)
		return really(fd, level, name, value, n);
	if (count < most)
		sockets[count++] = fd;
	if (!really(fd, level, SO_RCVBUFFORCE, &octets, sizeof octets))
		return 0;
	return really(fd, level, name, &octets, sizeof octets);
}

void pg_start(uint16_t udp_port) {
	starting = 1;
	usrsctp_init(udp_port, NULL, NULL);
	starting = 0;
}

void pg_room(struct pg_room *r) {
	r->octets = 0;
	r->dropped = 0;
	for (int i = 0; i < count; i++) {
		uint32_t m[SK_MEMINFO_VARS] = {0};
		socklen_t n = sizeof m;
		if (getsockopt(sockets[i], SOL_SOCKET, SO_MEMINFO, m, &n))
			continue;
		uint32_t octets = m[SK_MEMINFO_RCVBUF] / 2; // the kernel doubles what is asked for, socket(7)
		if (!r->octets || octets < r->octets)
			r->octets = octets;
		r->dropped += m[SK_MEMINFO_DROPS];
	}
}
