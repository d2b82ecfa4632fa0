package load

import (
	"encoding/json"
	"testing"
	"time"
)

// TestN2JSON has another value for each count, in the unit that its name says.
func TestN2JSON(t *testing.T) {
	r := &N2Result{Load: N2Load{Rate: 1.5, Window: 2, Talk: 2.5}, Duration: 3 * time.Second, UEs: 4, Done: 5, Turned: 6, Cut: 7, Unbegun: 8, Waiting: 9,
		Sent: 100, Received: 60, Refused: 11, Stale: 12, WrongAMF: 13, WrongGNB: 14, WrongIDs: 15, Overtaken: 16, Duplicates: 17, Altered: 18, Strange: 19,
		Late: 20 * time.Microsecond, CPU: 21 * time.Second, Memory: 22, Grown: -23, Up: 24 * time.Second, Again: 25,
		Talk: N2Talk{UEs: 26, Due: 27, Sent: 50, Arrived: 29, Held: 30, Released: 31}}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	bound, _ := got["bound_ues"].(map[string]any)
	for name, want := range map[string]float64{"load_ues_per_second": 1.5, "load_window_ues": 2, "load_bound_ue_messages_per_second": 2.5, "duration_seconds": 3,
		"ues": 4, "ues_served": 5, "ues_refused": 6, "ues_released_by_gateway": 7, "ues_without_place_at_generator": 8, "ues_not_begun_for_transport": 9,
		"messages_sent": 100, "messages_received": 60, "messages_lost": 34, "messages_not_taken_by_transport": 11, "messages_of_earlier_runs": 12,
		"messages_at_wrong_amf": 13, "messages_at_wrong_gnb": 14, "messages_with_wrong_ids": 15, "messages_out_of_order": 16, "messages_twice": 17,
		"messages_altered": 18, "messages_nobody_sent": 19, "messages_per_second": 20, "generator_late_microseconds": 20, "cpu_seconds": 21,
		"cpu_microseconds_per_message": 350000, "resident_octets": 22, "resident_grown_octets": -23, "all_up_after_seconds": 24, "ng_setup_failures_until_then": 25} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	for name, want := range map[string]float64{"ues": 26, "messages_due": 27, "messages_sent": 50, "messages_received": 29, "messages_lost": 21, "messages_not_taken_by_transport": 30, "ues_released_by_gateway": 31} {
		if bound[name] != want {
			t.Errorf("bound_ues.%s: %v, want %v", name, bound[name], want)
		}
	}
	r.Talk = N2Talk{}
	if b, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	clear(got)
	if err := json.Unmarshal(b, &got); err != nil || got["bound_ues"] != nil {
		t.Errorf("without bound UEs: %v, %v", got["bound_ues"], err)
	}
}
