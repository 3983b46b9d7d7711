package policy

import (
	"fmt"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	at := func(s float64) time.Time {
		return time.Unix(1_700_000_000, 0).Add(time.Duration(s * float64(time.Second)))
	}
	var b buckets
	by, to := draw{"by amy", Rate{PerMinute: 60, Burst: 2}}, draw{"to x", Rate{PerMinute: 6}}
	for i, step := range []struct {
		at    float64
		draws []draw
		want  time.Duration
	}{
		{0, []draw{by}, 0},
		{0, []draw{by}, 0},
		{0, []draw{by}, time.Second},
		{0, []draw{{"by ben", by.rate}}, 0},
		{0.5, []draw{by}, 500 * time.Millisecond},
		{1, []draw{by, to}, 0},
		{1, []draw{by, to}, time.Second},
		{1, []draw{to}, 0}, {1, []draw{to}, 0}, {1, []draw{to}, 0}, {1, []draw{to}, 0}, {1, []draw{to}, 0}, // the refused one took nothing
		{1, []draw{to}, 10 * time.Second},
		{2, []draw{by, to}, 9 * time.Second},
		{2, []draw{by}, 0}, // nor did that
		{100, []draw{by}, 0},
		{100, []draw{by}, 0},
		{100, []draw{by}, time.Second}, // a rest fills no more than the burst
		{100, []draw{{"free", Rate{}}}, 0},
		{50, []draw{by}, 51 * time.Second}, // the clock was set back
	} {
		if _, got := b.take(at(step.at), step.draws...); got != step.want {
			t.Errorf("step %d: wait = %v, want %v", i, got, step.want)
		}
	}
	for i := range 3 * maxBuckets {
		b.take(at(200), draw{fmt.Sprint(i), by.rate})
	}
	if len(b.full) > maxBuckets+1 {
		t.Errorf("%d buckets are kept, want %d at most", len(b.full), maxBuckets)
	}
}
