// What userspace_usrsctp.go needs of the library, in its own few types.

#ifndef POOLGW_USRSCTP_H
#define POOLGW_USRSCTP_H

#include <stddef.h>
#include <stdint.h>

struct pg_address {
	int family; // 4 or 6
	uint8_t octets[16];
};

struct pg_endpoint {
	uint16_t port;
	int count;
	struct pg_address address[32];
};

struct pg_options {
	uint32_t heartbeat_ms, rto_initial_ms, rto_min_ms, rto_max_ms, init_timeout_ms;
	uint16_t path_max_retrans, assoc_max_retrans, init_attempts, streams, encapsulation;
	uint8_t dscp;
	int send_buffer, receive_buffer;
};

enum pg_kind { PG_DATA, PG_NOTICE, PG_PATH, PG_RESTART, PG_SEND_FAILED, PG_DOWN, PG_PARTIAL_ABORTED, PG_NOTHING };

// One usrsctp_recvv.
struct pg_event {
	int kind;
	int length; // octets of data; 0 with PG_DATA: the end
	int last;   // data: the message is complete; else: the notification is
	uint16_t stream;
	uint32_t ppid;
	struct pg_address path;
	int path_state; // of PathState
	int association; // PG_DOWN: a state of pg_down
	uint16_t error;
	int info_at, info_length; // where in the buffer the peer's error causes or the lost data are
};

enum pg_down { PG_COMM_LOST, PG_SHUTDOWN_COMPLETE, PG_CANNOT_START };

struct pg_path {
	struct pg_address address;
	int state, primary;
	uint32_t cwnd, srtt, rto, mtu;
};

struct pg_status {
	uint16_t unacked, in_streams, out_streams;
	int state; // AssocState
};

enum { PG_ROOM = 8 << 20 }; // octets asked for packets that wait for the library's threads

// What the kernel has for them.
struct pg_room {
	uint32_t octets;  // of the socket that has the least; 0: not started
	uint64_t dropped; // packets for which there was none
};

struct socket;
struct pg_source;
struct pg_slot;

// Who is to be woken, and why; see wake.c.
enum pg_reason { PG_READABLE = 1, PG_WRITABLE = 2 };

struct pg_due {
	uint32_t number; // of its slot
	int what;        // of pg_reason, or both
};

// The file descriptor of the bell; -1: none can be had.
int pg_bell(void);
struct pg_slot *pg_slot_new(uint32_t number);
// PG_WRITABLE is told of a slot that is watched only.
void pg_watch(struct pg_slot *s, int on);
// Those that are due, of which each is told once; by one thread at a time.
int pg_take(struct pg_due *due, int room);
// The slot of a socket, or NULL.
void pg_attach(struct socket *so, struct pg_slot *s);

// The addresses of a socket, for the choice of its packets' source; see source.c.
struct pg_source *pg_source_add(const struct pg_endpoint *e);
struct pg_source *pg_source_share(struct pg_source *s);
void pg_source_drop(struct pg_source *s);

// Starts the library, with room for its packets; see room.c.
void pg_start(uint16_t udp_port);
void pg_room(struct pg_room *r);

// How often a send has taken an association's lock that the library only tries.
uint64_t pg_sends_locked(void);

// What stands around a send, and how often the library's timer has had its turn; see ticks.c.
void pg_send_begin(void);
void pg_send_end(void);
uint64_t pg_ticks(void);

// All of these return 0 or an errno, unless said otherwise.
int pg_init(uint16_t udp_port, int shared);
int pg_open(const struct pg_endpoint *local, int inet6, const struct pg_options *o, struct pg_slot *slot, struct socket **so, struct pg_source **source);
int pg_listen(struct socket *so, int backlog);
int pg_accept(struct socket *listener, struct pg_slot *slot, struct socket **so);
int pg_connect(struct socket *so, const struct pg_endpoint *remote);
int pg_recv(struct socket *so, void *buffer, size_t size, struct pg_event *e);
// Reads a notification that is whole; what it is not about is zero.
void pg_notice(const void *notice, int length, struct pg_event *e);
int pg_send(struct socket *so, const void *data, size_t size, uint16_t stream, uint32_t ppid, int abort);
int pg_shutdown(struct socket *so);
void pg_close(struct socket *so, int abort);
int pg_error(struct socket *so);
int pg_writable(struct socket *so);
void pg_addresses(struct socket *so, int peer, struct pg_endpoint *e);
int pg_status(struct socket *so, struct pg_status *s);
int pg_path(struct socket *so, const struct pg_address *a, uint16_t port, struct pg_path *p);

#endif
