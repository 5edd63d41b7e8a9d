package dispatch_test

import (
	"slices"
	"time"
)

func sortedMedian(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
