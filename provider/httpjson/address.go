package httpjson

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"kwit/provider"
)

// placeholder stands in an address for what an attempt is called.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// The placeholders.
const (
	ofAttempt  = "{attempt_id}"
	ofJob      = "{job_id}"
	ofProvider = "{provider_id}" // the provider's own name for the request
)

// checkAddress tells what is wrong with an address that may hold placeholders
// in its path and its query.
func checkAddress(address string) error {
	for _, found := range placeholder.FindAllString(address, -1) {
		if found != ofAttempt && found != ofJob && found != ofProvider {
			return fmt.Errorf("%s is no placeholder; there are %s, %s and %s", found, ofAttempt, ofJob, ofProvider)
		}
	}
	if err := provider.CheckURL(placeholder.ReplaceAllString(address, "id")); err != nil {
		return err
	}
	host := strings.SplitAfterN(address, "/", 4)
	if strings.Contains(strings.Join(host[:min(3, len(host))], ""), "{") {
		return errors.New("a placeholder may stand in the path and in the query only")
	}
	return nil
}

// errUnnamed: the address needs a name that is not known, or none that could
// stand in an address.
var errUnnamed = errors.New("its own name for the work, which the address needs, is not known")

// fill puts the names of an attempt into an address, each escaped as its place
// there asks for.
func fill(address string, r provider.Request, providerID string) (string, error) {
	path, query, _ := strings.Cut(address, "?")
	if strings.Contains(address, ofProvider) && (providerID == "" || strings.Trim(providerID, ".") == "") {
		return "", errUnnamed
	}
	put := func(text string, escape func(string) string) string {
		return strings.NewReplacer(ofAttempt, escape(r.AttemptID), ofJob, escape(r.JobID), ofProvider, escape(providerID)).Replace(text)
	}
	filled := put(path, url.PathEscape)
	if query != "" {
		filled += "?" + put(query, url.QueryEscape)
	}
	return filled, nil
}
