package mixing

import (
	"sync"
	"testing"

	"github.com/r2sgld/r2sgld/study"
	"github.com/r2sgld/r2sgld/study/studytest"
)

// glance runs the study once for all tests.
func glance(t *testing.T) *study.Study {
	t.Helper()
	once.Do(func() { ran = studytest.Glance(t, Run, 2) })
	return ran
}

var (
	once sync.Once
	ran  *study.Study
)

func TestRunsAtScaleSmoke(t *testing.T) {
	s := glance(t)
	studytest.Whole(t, s)
}
