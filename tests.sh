#!/bin/sh
# Reads "go test -v" and prints what matters: a line per package, failures with
# what was printed before them, what was skipped and why, a count. Its status
# is the tests'.
exec awk '
/^=== (RUN|PAUSE|CONT|NAME)/ { now = $3; next }
/^ *--- PASS: / { passed++; held = ""; next }
/^ *--- SKIP: / { skipped++; n = name($0); skip[skipped] = n ":" reason(n in said ? said[n] : held); held = ""; next }
/^ *--- FAIL: / { failed++; printf "%s", held; print; held = ""; next }
/^ok[ \t]/      { print; held = ""; next }
/^FAIL[ \t]/    { printf "%s", held; print; bad = 1; held = ""; next }
/^FAIL$/        { bad = 1; next }
/^PASS$|^\?[ \t]/ { next }
                { if (length(said[now]) < 300) said[now] = said[now] $0 "\n"; keep($0 "\n") }
# Of very much, as after a crash, the beginning and the end.
function keep(s) {
  if (held == "") first = ""
  held = held s
  if (length(held) > 60000) {
    if (first == "") first = substr(held, 1, 15000) "\n[...]\n"
    held = first substr(held, length(held) - 30000)
  }
}
function name(s) { sub(/^ *--- SKIP: /, "", s); sub(/ \(.*/, "", s); return s }
function reason(s) { gsub(/\n */, " ", s); sub(/^ +/, " ", s); return substr(s, 1, 300) }
END {
  if (bad) printf "%s", held
  for (i = 1; i <= skipped; i++) print "skipped: " skip[i]
  printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  exit (bad || failed || passed == 0) ? 1 : 0
}'
