package load

import "encoding/json"

// n2JSON names each count and its unit: seconds, microseconds, octets.
type n2JSON struct {
	UEsPerSecond    float64     `json:"load_ues_per_second"`
	Window          int         `json:"load_window_ues"`
	TalkPerSecond   float64     `json:"load_bound_ue_messages_per_second"`
	Duration        float64     `json:"duration_seconds"`
	UEs             uint64      `json:"ues"`
	Done            uint64      `json:"ues_served"`
	Turned          uint64      `json:"ues_refused"`
	Cut             uint64      `json:"ues_released_by_gateway"`
	Unbegun         uint64      `json:"ues_without_place_at_generator"`
	Waiting         uint64      `json:"ues_not_begun_for_transport"`
	Sent            uint64      `json:"messages_sent"`
	Received        uint64      `json:"messages_received"`
	Lost            uint64      `json:"messages_lost"`
	Refused         uint64      `json:"messages_not_taken_by_transport"`
	Stale           uint64      `json:"messages_of_earlier_runs"`
	WrongAMF        uint64      `json:"messages_at_wrong_amf"`
	WrongGNB        uint64      `json:"messages_at_wrong_gnb"`
	WrongIDs        uint64      `json:"messages_with_wrong_ids"`
	Overtaken       uint64      `json:"messages_out_of_order"`
	Duplicates      uint64      `json:"messages_twice"`
	Altered         uint64      `json:"messages_altered"`
	Strange         uint64      `json:"messages_nobody_sent"`
	Rate            float64     `json:"messages_per_second"`
	Latency         latencyJSON `json:"latency"`
	Late            float64     `json:"generator_late_microseconds"`
	CPU             float64     `json:"cpu_seconds"`
	CPUPerMessage   float64     `json:"cpu_microseconds_per_message"`
	Resident        uint64      `json:"resident_octets"`
	Grown           int64       `json:"resident_grown_octets"`
	Up              float64     `json:"all_up_after_seconds"`
	NGSetupFailures int         `json:"ng_setup_failures_until_then"`
	Bound           *boundJSON  `json:"bound_ues,omitempty"`
}

// boundJSON is of the UEs that stay.
type boundJSON struct {
	UEs      int         `json:"ues"`
	Due      uint64      `json:"messages_due"`
	Sent     uint64      `json:"messages_sent"`
	Arrived  uint64      `json:"messages_received"`
	Lost     uint64      `json:"messages_lost"`
	Held     uint64      `json:"messages_not_taken_by_transport"`
	Released uint64      `json:"ues_released_by_gateway"`
	Latency  latencyJSON `json:"latency"`
}

type latencyJSON struct {
	P50  float64 `json:"p50_microseconds"`
	P99  float64 `json:"p99_microseconds"`
	P999 float64 `json:"p999_microseconds"`
	Max  float64 `json:"max_microseconds"`
}

// MarshalJSON is n2JSON.
func (r *N2Result) MarshalJSON() ([]byte, error) {
	return json.Marshal(n2JSON{
		UEsPerSecond: r.Load.Rate, Window: r.Load.Window, TalkPerSecond: r.Load.Talk, Duration: r.Duration.Seconds(),
		UEs: r.UEs, Done: r.Done, Turned: r.Turned, Cut: r.Cut, Unbegun: r.Unbegun, Waiting: r.Waiting,
		Sent: r.Sent, Received: r.Received, Lost: r.Lost(), Refused: r.Refused, Stale: r.Stale,
		WrongAMF: r.WrongAMF, WrongGNB: r.WrongGNB, WrongIDs: r.WrongIDs, Overtaken: r.Overtaken,
		Duplicates: r.Duplicates, Altered: r.Altered, Strange: r.Strange, Rate: r.Rate(),
		Latency: latencyOf(&r.Latency), Late: micros(r.Late), CPU: r.CPU.Seconds(), CPUPerMessage: micros(r.CPUPerMessage()),
		Resident: r.Memory, Grown: r.Grown, Up: r.Up.Seconds(), NGSetupFailures: r.Again, Bound: r.Talk.json(),
	})
}

// json is nil where no UE is bound.
func (t *N2Talk) json() *boundJSON {
	if t.UEs == 0 {
		return nil
	}
	return &boundJSON{UEs: t.UEs, Due: t.Due, Sent: t.Sent, Arrived: t.Arrived, Lost: t.Lost(), Held: t.Held, Released: t.Released,
		Latency: latencyOf(&t.Latency)}
}

func latencyOf(h *Histogram) latencyJSON {
	return latencyJSON{P50: micros(h.Quantile(0.5)), P99: micros(h.Quantile(0.99)), P999: micros(h.Quantile(0.999)), Max: micros(h.Max())}
}
