package poolgw_test

import (
	"fmt"
	"regexp"
)

var factLists = []*factList{gbFacts, n2Facts}

var gbFacts = &factList{
	list: "doc/gb-facts.txt", table: "doc/gb-coverage.md",
	id:      regexp.MustCompile(`^[GU](\d+(\.\d+)?)?-\d\d$`),
	stances: map[string]stance{"same": {}, "right": {}, "departed": {reason: true}},
	intro: func(n map[string]int) string {
		return fmt.Sprintf(`# Gb: what osmo-gbproxy does, what poolgw does, and the test

Generated from doc/gb-facts.txt and the lines "Facts:" above tests; `+"`go test . -run Facts -update`"+` writes it anew.
%d facts about osmo-gbproxy 0.5.0 with libosmogb 1.10.0. In %d poolgw does the same; in %d osmo-gbproxy errs
or is silent, and poolgw does it right; in %d poolgw departs from it on purpose.
Without a test: %d. A test is named by its package and function.

| id | | fact | test |
|--|--|--|--|
`, n["all"], n["same"], n["right"], n["departed"], n["open"])
	},
}

var n2Facts = &factList{
	list: "doc/n2-facts.txt", table: "doc/n2-coverage.md",
	id:      regexp.MustCompile(`^N\d-\d\d$`),
	stances: map[string]stance{"holds": {}, "departed": {reason: true}, "later": {reason: true, untested: true}},
	intro: func(n map[string]int) string {
		return fmt.Sprintf(`# N2: what a gateway for a pool of AMFs has to do, and the test

Generated from doc/n2-facts.txt and the lines "Facts:" above tests; `+"`go test . -run Facts -update`"+` writes it anew.
%d facts of NGAP, SCTP, 5G identities and AMF pools (TS 38.413, 38.412, 23.501, 24.501) and of real peers. %d hold of
poolgw; from %d it departs on purpose; %d are for a later release.
Without a test: %d. A test is named by its package and function.

| id | | fact | test |
|--|--|--|--|
`, n["all"], n["holds"], n["departed"], n["later"], n["open"])
	},
}
