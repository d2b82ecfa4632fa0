module poolgw

go 1.26.2

require (
	github.com/free5gc/aper v1.1.1
	github.com/free5gc/ngap v1.1.3
	github.com/google/go-cmp v0.7.0
	github.com/gopacket/gopacket v1.5.0
	github.com/ishidawataru/sctp v0.0.0-20251114114122-19ddcbc6aae2
	github.com/prometheus/client_golang v1.25.0
	github.com/prometheus/client_model v0.6.3
	github.com/reiver/go-telnet v0.0.0-20180421082511-9ff0b2ab096e
	github.com/rogpeppe/go-internal v1.16.0
	github.com/sirupsen/logrus v1.9.3
	go.uber.org/goleak v1.3.0
	golang.org/x/sys v0.50.0
	golang.org/x/time v0.16.0
)

require (
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/kylelemons/godebug v1.1.0 // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/prometheus/common v0.72.0 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/reiver/go-oi v1.0.0 // indirect
	github.com/tim-ywliu/nested-logrus-formatter v1.3.2 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
