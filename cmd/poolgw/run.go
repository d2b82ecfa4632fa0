package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"poolgw/cli"
	"poolgw/config"
	"poolgw/ctrl"
	"poolgw/gb"
	"poolgw/logging"
	"poolgw/metrics"
	"poolgw/ns"
	"poolgw/vty"
)

func runCommand(args []string) int {
	o, code, done := parseRun(args)
	if done {
		return code
	}
	if o.daemonize && os.Getenv(readyEnv) == "" {
		return daemonize(append([]string{"run"}, args...))
	}
	hangUpsAndReports, ends := make(chan os.Signal, 4), make(chan os.Signal, 2)
	signal.Notify(hangUpsAndReports, append(reports, syscall.SIGHUP)...)
	signal.Ignore(syscall.SIGPIPE) // who reads our standard error may go
	d := newDaemon(&o)
	d.ends = ends
	if err := d.start(); err != nil {
		d.close()
		fmt.Fprintf(os.Stderr, "%v\n", err)
		return exitCode(err)
	}
	ready()
	go d.serve(hangUpsAndReports)
	code, last := d.wait(ends)
	go endAnyway(ends, code)
	told := make(chan struct{})
	go func() { tell(last); close(told) }()
	d.close()
	atMost(lastWords, told)
	return code
}

// exitCode maps an error of the start.
func exitCode(err error) int {
	var l *listenError
	if errors.As(err, &l) {
		return exitListen
	}
	return exitConfig
}

// daemon is the running program: the gateway and its management plane.
type daemon struct {
	opts    *runOptions
	hub     *logging.Hub
	log     *slog.Logger
	targets *logTargets
	gateway *gb.Gateway
	n2      *n2Part
	store   *config.Store
	vty     *vty.Server
	ctrl    *ctrl.Server
	metrics *metrics.Server
	traps   *traps
	stats   *statistics
	stop    chan struct{} // "shutdown" from the VTY
	ends    chan<- os.Signal
}

func newDaemon(o *runOptions) *daemon {
	hub := newHub()
	return &daemon{opts: o, hub: hub, log: hub.Logger(), targets: &logTargets{hub: hub, opts: o},
		traps: newTraps(), stop: make(chan struct{}, 1)}
}

// start brings everything up in the order in which failures have their exit
// codes: configuration, NS binds, then the ports of the management plane.
func (d *daemon) start() error {
	c, findings, err := cli.LoadFile(cli.New(cli.Env{}), d.opts.config)
	cli.PrintFindings(os.Stderr, findings)
	if err != nil {
		return fmt.Errorf("%w\nFailed to parse the config file: '%s'", err, d.opts.config)
	}
	start := config.Default()
	if err := d.targets.Apply(&start, &c, time.Now()); err != nil {
		return err
	}
	if err := applyScheduling(&start, &c, time.Now()); err != nil {
		return err
	}
	d.gateway = gb.New(gb.Options{Network: &ns.KernelUDP{Log: d.log.With("cat", "lns")}, Log: d.log, Notify: d.traps.notify})
	if err := d.gateway.Start(c.Gb); err != nil {
		return err
	}
	d.n2 = newN2Part(d.opts.config, d.log)
	if err := d.n2.Apply(&start, &c, time.Now()); err != nil {
		return err
	}
	d.store = config.NewStore(c, nil)
	if err := d.manage(&start, &c); err != nil {
		return err
	}
	// Not before: a start that hangs, as with a FIFO as configuration, is ended
	// by a signal.
	signal.Notify(d.ends, syscall.SIGINT, syscall.SIGTERM)
	d.log.Log(context.Background(), logging.LevelNotice, "poolgw runs", "version", version, "config", d.opts.config)
	return nil
}

// manage starts the management plane and lets it follow the configuration.
func (d *daemon) manage(start, c *config.Config) error {
	d.stats = d.newStatistics()
	env := cli.Env{Stats: d.stats, Store: d.store, Gateway: cli.GbGateway(d.gateway), N2: d.n2.gateway, Logs: vtyLogs{d.hub, d.targets},
		Path: d.opts.config, Version: version, Shutdown: d.shutdown, Affinity: setThreadAffinity}
	saves := watchSaves(cli.Program(env), d.log)
	d.vty = vty.NewServer(cli.New(env), saves, d.hub, vtySettings(c))
	d.vty.Log = d.log
	vars := &ctrl.Vars{}
	vars.Add(ctrlVars(d.gateway)...)
	vars.Add(d.stats.vars()...)
	d.ctrl = ctrl.NewServer(vars, d.log)
	d.ctrl.Watch, d.vty.Watch = d.stats.tcp.Watch, d.stats.tcp.Watch
	d.traps.run(d.ctrl.Trap)
	reg := metrics.NewRegistry(version)
	if err := errors.Join(d.gateway.Register(reg), d.n2.gateway.Register(reg), d.vty.Register(prometheus.WrapRegistererWithPrefix("poolgw_", reg)), reg.Register(saves.failed),
		d.ctrl.Register(prometheus.WrapRegistererWithPrefix("poolgw_", reg)),
		d.hub.Register(prometheus.WrapRegistererWithPrefix("poolgw_", reg))); err != nil {
		return err
	}
	d.metrics = metrics.NewServer(reg)
	d.metrics.Log, d.metrics.Watch = d.log.With("cat", "lglobal"), d.stats.tcp.Watch
	for _, p := range []struct {
		what string
		a    config.Applier
	}{{"VTY", &vtyPort{server: d.vty, log: d.log}}, {"CTRL", ctrlPort{d.ctrl}}, {"metrics", metricsPort{d.metrics, d.log.With("cat", "lglobal")}}} {
		if err := p.a.Apply(start, c, time.Now()); err != nil {
			return &listenError{p.what, err}
		}
		d.store.Register(p.a)
	}
	if err := d.stats.Apply(start, c, time.Now()); err != nil {
		return err
	}
	d.store.Register(d.stats)
	d.store.Register(d.targets, config.ApplyFunc(applyScheduling), config.ApplyFunc(func(old, new *config.Config, now time.Time) error {
		return d.gateway.Apply(old.Gb, new.Gb, now)
	}), d.n2)
	return nil
}

// shutdown is the VTY's "shutdown".
func (d *daemon) shutdown() {
	select {
	case d.stop <- struct{}{}:
	default:
	}
}

// close ends what runs, the outer parts first.
func (d *daemon) close() {
	if d.vty != nil {
		d.vty.Close()
		d.vty.Wait()
	}
	d.traps.close()
	if d.ctrl != nil {
		d.ctrl.Close()
	}
	if d.metrics != nil {
		d.metrics.Close()
	}
	if d.stats != nil {
		d.stats.engine.Close()
	}
	if d.n2 != nil {
		d.n2.gateway.Stop()
	}
	if d.gateway != nil {
		d.gateway.Stop()
		d.gateway.Wait()
	}
	d.targets.close()
}
