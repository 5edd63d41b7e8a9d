# The two commands that people need are `make run` and `make test`.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENDOR := static/vendor/htmx.min.js static/vendor/hx-sse.min.js
say    = printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## start kwit with demo accounts on http://127.0.0.1:8080; Ctrl-C stops it
	@$(call say,starting kwit)
	@exec bin/kwit demo

.PHONY: build
build: assets ## build bin/kwit
	@$(call say,building bin/kwit (the first time this fetches and compiles the Go modules and takes minutes))
	@go build -o bin/kwit ./cmd/kwit

.PHONY: assets
assets: $(VENDOR) ## bring the browser's libraries from npm to static/vendor

static/vendor/htmx.min.js: node_modules/.package-lock.json
	@cp node_modules/htmx.org/dist/htmx.min.js $@

static/vendor/hx-sse.min.js: node_modules/.package-lock.json
	@cp node_modules/htmx.org/dist/ext/hx-sse.min.js $@

node_modules/.package-lock.json: package.json package-lock.json
	@$(call say,installing the browser libraries that package-lock.json names)
	@command -v npm >/dev/null || { echo 'npm is needed for this and was not found: install Node.js' >&2; exit 1; }
	@npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

.PHONY: test
test: programs assets check-source ## install what the tests need, then run all of them
	@$(call say,running all tests)
	@scripts/go-test -timeout 20m ./...
	@$(MAKE) race

.PHONY: check
check: check-source lint ## the quick checks: format, vet, generated code, lint, short tests
	@$(call say,running the short tests)
	@scripts/go-test -short ./...

.PHONY: race
race: ## run the tests where much happens at once under the race detector
	@$(call say,running tests under the race detector)
	@scripts/race ./db/... ./ledger/... ./dispatch/... ./provider/...

.PHONY: check-source
check-source:
	@$(call say,checking format)
	@scripts/check-format
	@$(call say,vetting)
	@go vet ./...
	@$(call say,checking that the generated code is fresh (the first time this builds sqlc and takes minutes))
	@scripts/check-generated

.PHONY: lint
lint: ## look for mistakes and for imports that point upward
	@$(call say,linting (the first time this builds golangci-lint and takes minutes))
	@go tool -modfile=tools/lint/go.mod golangci-lint run ./...

.PHONY: generate
generate: ## write the Go code that comes from db/queries and from the templ pages
	@CGO_ENABLED=0 go tool -modfile=tools/go.mod sqlc generate
	@CGO_ENABLED=0 go tool -modfile=tools/go.mod templ generate -path views -include-version=false -log-level error

.PHONY: programs
programs:
	@$(call say,looking for PostgreSQL and a browser)
	@scripts/install-programs

.PHONY: clean
clean: ## remove what was built and fetched; the data in .kwit stays
	rm -rf bin node_modules $(VENDOR)
