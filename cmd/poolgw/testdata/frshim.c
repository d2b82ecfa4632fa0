/* Preloaded into osmo-sgsn by a test: tells that any device is an HDLC one with
 * the kernel's protocol "fr" and no LMI, for want of such devices. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <string.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <linux/hdlc/ioctl.h>
#include <linux/sockios.h>

struct settings {
	char name[IFNAMSIZ];
	unsigned int type, size;
	fr_proto *fr;
};

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = dlsym(RTLD_NEXT, "ioctl");
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != SIOCWANDEV)
		return next(fd, request, arg);
	struct settings *s = arg;
	if (s->type == 0x0002) { /* IF_GET_PROTO */
		s->type = 0x2003; /* IF_PROTO_FR */
		memset(s->fr, 0, sizeof(*s->fr));
		s->fr->lmi = LMI_NONE;
	}
	return 0;
}
