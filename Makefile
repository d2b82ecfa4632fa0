# make          build ./poolgw
# make test     what a checkout needs; says what it skipped and why
# make race     the same with the race detector (needs gcc)
# make lint     gofmt, go vet, staticcheck
# make fuzz     every fuzz target, FUZZTIME each
# make bench    the gateway beside a bare relay: CPU time per PDU, latency, memory …
# make regress  the same for a moment: fails when the ratio is out of all bounds
# make soak     60 % of what the gateway carries for SOAK each (30m): Gb, then N2
# make sustain  90 % of what it carries, then 200 % beside busy loops, a minute each
# make hostile  every spoilt PDU in every state, some minutes
# make demo     gateway, SGSNs, BSSs and subscribers on loopback

GO          ?= go
FUZZTIME    ?= 60s
# The userspace SCTP stack is in where its library is (libusrsctp-dev, gcc).
comma       := ,
# Whole programs judged by the clock, and thousands of runs: in "make test" only,
# since the race detector makes everything some ten times slower.
BYCLOCK     := ^Test(Soak|FaultAttacks|ReunionStepByStep|OsmoSGSNCrowd|SuiteIsolate|Lab(N2|Operator|Interrupted|Drain)|N2BindFaultsInVM)$$
TAGS        ?= $(shell pkg-config --exists usrsctp 2>/dev/null && command -v gcc >/dev/null && echo usrsctp)
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     := -X main.version=$(VERSION)

SOAK        ?= 30m

.PHONY: all test race lint fuzz hostile bench regress soak sustain demo clean

all:
	$(GO) build -tags '$(TAGS)' -ldflags '$(LDFLAGS)' -o poolgw ./cmd/poolgw
	@echo 'SCTP transports: kernel$(if $(TAGS),$(comma) userspace, (userspace: install libusrsctp-dev pkg-config gcc))'

test:
	@$(GO) test -tags '$(TAGS)' ./... -count=1 -timeout 20m -v 2>&1 | ./tests.sh

race:
	$(GO) test -tags '$(TAGS)' -race -timeout 20m -skip '$(BYCLOCK)' ./... -count=1

lint:
	@test -z "$$(gofmt -l .)" || { echo 'gofmt wants:'; gofmt -l .; exit 1; }
	$(GO) vet -tags '$(TAGS)' ./...
	$(GO) run $(STATICCHECK) -tags '$(TAGS)' ./...

# Once more where a target fails: the fuzzer is late now and then ("context deadline
# exceeded"); an input that it found stands in testdata then, and fails again.
fuzz:
	@set -e; for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "== $$p $$f"; \
	    fuzz() { $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x $$p; }; \
	    fuzz || fuzz; \
	  done; done

# For figures that mean something: an idle machine, or "make bench BENCH='chrt -r 1'".
# In a network of its own: other SCTP stacks on the same addresses abort associations.
BENCHNET    := $(shell [ "$$(id -u)" = 0 ] && command -v unshare >/dev/null && echo unshare --net)
BENCHLOG    := $(or $(TMPDIR),/tmp)/poolgw-bench-$(shell id -u).log
bench: all
	$(GO) test -tags '$(TAGS)' ./n2 -count=1 -run 'MillionUEs|RelayTwentyTimes|DoesNotAllocate' -v >$(BENCHLOG) 2>&1 || { cat $(BENCHLOG); exit 1; }
	$(BENCHNET) sh -c '$(if $(BENCHNET),ip link set lo up &&) exec $(BENCH) ./poolgw load bench --transport $(if $(TAGS),userspace,auto) --logs $(BENCHLOG) $(BENCHFLAGS)'

# A few seconds of it, with a bound that only a blunder exceeds: for every change.
regress: all
	./poolgw load bench --quick --duration 500ms --rounds 7 --subscribers 20000 --most 3

# N2 in a network of its own: other SCTP stacks on the same addresses abort associations.
soak: all
	$(BENCH) ./poolgw load soak gb --duration $(SOAK) --down 0.5 --size 100,500 --bsss 20
	$(if $(TAGS),unshare --net sh -c 'ip link set lo up && exec $(BENCH) ./poolgw load soak n2 --transport userspace --duration $(SOAK)',@echo 'N2 is not tried: no userspace SCTP in this build')

sustain: all
	$(BENCH) ./poolgw load sustain --bsss 20 --down 0.5 --size 100,500 $(SUSTAINFLAGS)

hostile:
	GB_HOSTILE=full $(GO) test -count=1 -run Hostile -v ./gb ./ns

demo: all
	./poolgw lab

clean:
	rm -f poolgw
