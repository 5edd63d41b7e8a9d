package views

import (
	"kwit/config"
	"kwit/ledger"
	"kwit/outcome"
)

// priceOf is what an attempt costs as far as the price and the usage tell:
// exactly, or by the one price of a call. It is empty where that is not known.
func priceOf(p *config.Price, a ledger.Attempt) string {
	cost, known := p.Cost(a.Usage)
	if !known {
		cost, known = p.Estimate()
	}
	if !known {
		return ""
	}
	return cost.String()
}

// mayCost tells whether an attempt that brought no result may have been charged
// all the same. One whose worker died has not noted whether it sent; of one that
// is running nothing is known yet.
func mayCost(a ledger.Attempt) bool {
	return a.Outcome != outcome.Succeeded && a.State != ledger.Running && (charged(a) || a.StartedAt != nil && a.SentAt == nil && !a.Outcome.Failure())
}

// costWords say what an attempt costs, in a few words. What may have been
// charged is said even where no price is known.
func costWords(p *config.Price, a ledger.Attempt) string {
	price := priceOf(p, a)
	switch {
	case a.Outcome == outcome.Succeeded:
		if price == "" {
			return "charged, price not known"
		}
		return price
	case a.State == ledger.Running:
		return "not known yet"
	case mayCost(a):
		if price == "" {
			return "maybe charged"
		}
		return "maybe " + price
	}
	return "nothing"
}
