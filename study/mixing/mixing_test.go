package mixing

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/store"
	"github.com/r2sgld/r2sgld/study"
)

func TestTry(t *testing.T) {
	e := effortOf(study.Smoke)
	if os.Getenv("SCALE") == "paper" {
		e = effortOf(study.Paper)
	}
	o := study.Options{Seed: 1, Threads: 2, Progress: os.Stderr}
	ctx := context.Background()
	show := func(name string, v any, err error, begin time.Time) {
		t.Log(name, time.Since(begin))
		if err != nil {
			t.Error(name, err)
			return
		}
		b, err := store.JSON(v)
		if err != nil {
			t.Error(err)
		}
		os.WriteFile("/tmp/mix-"+name+".json", b, 0o644)
	}
	_ = json.Marshal
	for _, name := range []string{"exact", "reversibility", "decay", "acceleration", "diameter", "discretisation"} {
		if only := os.Getenv("ONLY"); only != "" && only != name {
			continue
		}
		begin := time.Now()
		var v any
		var err error
		switch name {
		case "exact":
			v, err = e.exact(ctx, o)
		case "reversibility":
			v, err = e.reversibility(ctx, o)
		case "decay":
			v, err = e.decay(ctx, o)
		case "acceleration":
			v, err = e.acceleration(ctx, o)
		case "diameter":
			v, err = e.diameter(ctx, o)
		case "discretisation":
			v, err = e.discretisation(ctx, o)
		}
		show(name, v, err, begin)
	}
}
