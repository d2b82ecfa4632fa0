#!/bin/sh
# Reads "go test -v" and prints what matters: a line per package, failures with
# what their tests printed, what was skipped and why, a count. Its status is the
# tests'. Tests run side by side, and some print the tests of another process, so
# that what is printed belongs to the test that was named last.
exec awk '
/^ *=== (RUN|PAUSE|CONT|NAME)/ { now = $3; next }
/^ *--- PASS: / { passed++; delete said[name($0)]; next }
/^ *--- SKIP: / { n = name($0); skip[++skipped] = n ":" reason(said[n]); delete said[n]; next }
/^ *--- FAIL: / { n = name($0); failed++; printf "%s", said[n]; print; delete said[n]; next }
/^ok[ \t]/      { print; forget(); next }
/^FAIL[ \t]/    { rest(); print; bad = 1; forget(); next }
/^FAIL$/        { bad = 1; next }
/^PASS$|^\?[ \t]/ { next }
                { keep(now, $0 "\n") }
# Of very much, as after a crash, the beginning and the end.
function keep(n, s) {
  said[n] = said[n] s
  if (length(said[n]) > 60000) {
    if (!(n in first)) first[n] = substr(said[n], 1, 15000) "\n[...]\n"
    said[n] = first[n] substr(said[n], length(said[n]) - 30000)
  }
}
function rest(n) { for (n in said) printf "%s", said[n] }
function forget() { split("", said); split("", first); now = "" }
function name(s) { sub(/^ *--- [A-Z]*: /, "", s); sub(/ \(.*/, "", s); return s }
function reason(s) { gsub(/\n */, " ", s); sub(/^ +/, " ", s); return length(s) > 300 ? substr(s, length(s) - 300) : s }
END {
  if (bad) rest()
  for (i = 1; i <= skipped; i++) print "skipped: " skip[i]
  printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
  exit (bad || failed || passed == 0) ? 1 : 0
}'
