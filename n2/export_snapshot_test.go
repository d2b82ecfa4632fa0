package n2

// RoutingDoc is the text of doc/ngap-routing.md.
func RoutingDoc() string { return routingDoc() }
