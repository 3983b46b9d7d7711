package amfile

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nullable is a column entry: nil is null.
type nullable = *int64

func randomEntries(r *rand.Rand, n int) []nullable {
	entries := make([]nullable, n)
	for i := range entries {
		switch r.IntN(6) {
		case 0:
		case 1, 2:
			if i > 0 {
				entries[i] = entries[i-1]
			}
		default:
			v := r.Int64N(5)
			if r.IntN(20) == 0 {
				v = r.Int64() - math.MaxInt64/2
			}
			entries[i] = &v
		}
	}
	return entries
}

func equalEntries(a, b []nullable) bool {
	return slices.EqualFunc(a, b, func(a, b nullable) bool {
		return a == nil && b == nil || a != nil && b != nil && *a == *b
	})
}

func TestRunsSurviveARoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 5000 {
		entries := randomEntries(r, r.IntN(30))
		var ints deltaEncoder
		var uints uintEncoder
		var strings stringEncoder
		var sum uint64
		for _, e := range entries {
			if e == nil {
				ints.appendNull()
				uints.appendNull()
				strings.appendNull()
				continue
			}
			ints.append(*e / 2)
			uints.append(uint64(*e))
			strings.append(string(appendSleb(nil, *e&63)))
			sum += uint64(*e)
		}
		ic, uc, sc := ints.finish(), uints.finish(), strings.finish()
		id, ud, sd := newDeltaDecoder(ic), newUintDecoder(uc), newStringDecoder(sc, 99)
		var gotInts, gotUints, gotStrings, wantInts, wantStrings []nullable
		for _, e := range entries {
			if v, ok := id.next(); ok {
				gotInts = append(gotInts, &v)
			} else {
				gotInts = append(gotInts, nil)
			}
			if v, ok := ud.next(); ok {
				gotUints = append(gotUints, ptr(int64(v)))
			} else {
				gotUints = append(gotUints, nil)
			}
			if v, ok := sd.next(); ok {
				n, _ := sleb([]byte(v))
				gotStrings = append(gotStrings, &n)
			} else {
				gotStrings = append(gotStrings, nil)
			}
			if e == nil {
				wantInts, wantStrings = append(wantInts, nil), append(wantStrings, nil)
			} else {
				wantInts, wantStrings = append(wantInts, ptr(*e/2)), append(wantStrings, ptr(*e&63))
			}
		}
		if id.finish() != nil || ud.finish() != nil || sd.finish() != nil {
			t.Fatalf("round %d: finish: %v, %v, %v", round, id.finish(), ud.finish(), sd.finish())
		}
		if !equalEntries(gotInts, wantInts) || !equalEntries(gotUints, entries) || !equalEntries(gotStrings, wantStrings) {
			t.Fatalf("round %d: decoded columns differ", round)
		}
		if len(uc) == 0 {
			continue
		}
		n, _, err := countUints(uc, 1000, math.MaxUint32)
		if err == nil && n != uint64(len(entries)) {
			t.Fatalf("round %d: countUints = %d, want %d", round, n, len(entries))
		}
		if big := sum > math.MaxUint32; !big && err != nil {
			t.Fatalf("round %d: countUints: %v", round, err)
		}
	}
}

func ptr(v int64) *int64 { return &v }

func TestRunsRefuseWhatNoEncoderWrites(t *testing.T) {
	for _, c := range []struct {
		name, col string
		rows      int
	}{
		{"run of one", "0105", 1},
		{"literals in a row", "7f057f06", 2},
		{"equal literals", "7e0505", 2},
		{"equal value after run", "02057f05", 3},
		{"equal value before run", "7f050205", 3},
		{"equal runs", "02050205", 4},
		{"nulls in a row", "7f0500010001", 3},
		{"no nulls", "7f050000", 1},
		{"only nulls", "0002", 2},
		{"too short", "7f05", 2},
		{"too long", "7e0506", 1},
		{"bytes left", "7f0505", 1},
		{"cut short", "7e05", 2},
		{"overlong header", "8200", 2},
		{"overlong value", "7f8500", 1},
		{"most negative literal run", "8080808080808080807f05", 1},
		{"endless run", "ffffffffffffffffff0005", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			col, err := hex.DecodeString(c.col)
			if err != nil {
				t.Fatal(err)
			}
			u, d, s := newUintDecoder(col), newDeltaDecoder(col), newStringDecoder(col, 99)
			for range c.rows {
				u.next()
				d.next()
				s.next()
			}
			if u.finish() == nil || d.finish() == nil || s.finish() == nil {
				t.Errorf("finish = %v, %v, %v, want errors", u.finish(), d.finish(), s.finish())
			}
		})
	}
}

func TestBooleansSurviveARoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var e boolEncoder
		want := make([]bool, r.IntN(20))
		for i := range want {
			want[i] = r.IntN(2) == 0
			e.append(want[i])
		}
		col, some := e.finish()
		d := newBoolDecoder(col)
		for i := range want {
			if got := d.next(); got != want[i] {
				t.Fatalf("entry %d of %v = %v", i, want, got)
			}
		}
		if err := d.finish(); err != nil || some != slices.Contains(want, true) {
			t.Fatalf("finish of %v = %v, some %v", want, err, some)
		}
	}
}

func TestBooleansRefuseWhatNoEncoderWrites(t *testing.T) {
	for _, c := range []struct {
		name, col string
		rows      int
	}{
		{"zero alone", "00", 0},
		{"zero later", "010001", 2},
		{"zero at the end", "0100", 1},
		{"too short", "01", 2},
		{"too long", "0102", 2},
		{"overlong", "8100", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			col, _ := hex.DecodeString(c.col)
			d := newBoolDecoder(col)
			for range c.rows {
				d.next()
			}
			if d.finish() == nil {
				t.Error("finish = nil, want an error")
			}
		})
	}
}

func TestNumbersTakeOneForm(t *testing.T) {
	for _, v := range []int64{0, 1, -1, 63, 64, -64, -65, 127, 128, 8191, 8192, -8192, -8193, math.MaxInt64, math.MinInt64, math.MaxInt64 >> 1, math.MinInt64 >> 1, 1 << 62, -1 << 62} {
		b := appendSleb(nil, v)
		if got, n := sleb(b); got != v || n != len(b) {
			t.Errorf("sleb(% x) = %d, %d, want %d, %d", b, got, n, v, len(b))
		}
		b = appendUleb(nil, uint64(v))
		if got, n := uleb(b); got != uint64(v) || n != len(b) || n != ulebLen(uint64(v)) {
			t.Errorf("uleb(% x) = %d, %d, want %d, %d", b, got, n, uint64(v), ulebLen(uint64(v)))
		}
	}
	for _, s := range []string{"", "80", "8000", "ff00", "808080808080808080808001", "ffffffffffffffffff02", "80808080808080808000"} {
		b, _ := hex.DecodeString(s)
		if v, n := uleb(b); n != 0 {
			t.Errorf("uleb(%s) = %d, %d, want 0 bytes", s, v, n)
		}
	}
	for _, s := range []string{"", "80", "8000", "ff7f", "bf00", "c07f", "80808080808080808001", "ffffffffffffffffff01", "80808080808080800000", "ffffffffffffffff7f7f"} {
		b, _ := hex.DecodeString(s)
		if v, n := sleb(b); n != 0 {
			t.Errorf("sleb(%s) = %d, %d, want 0 bytes", s, v, n)
		}
	}
}
