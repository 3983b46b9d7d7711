package catalog

import "testing"

// TestGraphsAreDrawnOfAnyTitles holds that what people write does not end a
// label.
func TestGraphsAreDrawnOfAnyTitles(t *testing.T) {
	plan, odd, far := endpoint{ID: "1", Short: "a1b2c3", Label: "plan"}, endpoint{ID: "2", Title: "say \"hi\"] --> c9\n\\ <b>"}, endpoint{Kernel: "lab", ID: "3"}
	edges := []edgeRow{
		{From: plan, To: odd, Kind: "push", Count: 2}, {From: odd, To: plan, Kind: "fork", Count: 1},
		{From: far, To: plan, Kind: "pull", Count: 1}, {To: plan, Kind: "push", Count: 1},
	}
	wantMermaid := `graph LR
  c0["plan (a1b2c3)"]
  c1["say #34;hi#34;] --#62; c9 \ #60;b#62;"]
  c2["lab:3"]
  c3["somewhere else"]
  c0 -->|push 2| c1
  c1 -.->|fork| c0
  c2 -->|pull| c0
  c3 -->|push| c0
`
	if got := mermaid(edges); got != wantMermaid {
		t.Errorf("mermaid:\n%s, want\n%s", got, wantMermaid)
	}
	wantDot := `digraph drift {
  node [shape=box];
  c0 [label="plan (a1b2c3)"];
  c1 [label="say \"hi\"] --> c9 \\ <b>"];
  c2 [label="lab:3"];
  c3 [label="somewhere else"];
  c0 -> c1 [label="push 2"];
  c1 -> c0 [label="fork", style=dashed];
  c2 -> c0 [label="pull"];
  c3 -> c0 [label="push"];
}
`
	if got := dot(edges); got != wantDot {
		t.Errorf("dot:\n%s, want\n%s", got, wantDot)
	}
}
