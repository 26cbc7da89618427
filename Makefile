# The two commands of the README; both set up what they need first.
.PHONY: run test lint conformance

run:
	@scripts/bootstrap
	swift run sorted demo

test:
	@scripts/bootstrap
	swift test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

# make bench ONLY=W3,W4x RUNS=9
.PHONY: bench micro guard

bench:
	@scripts/bootstrap
	swift run --package-path Benchmarks -c release bench $(if $(ONLY),--only $(ONLY)) $(if $(RUNS),--runs $(RUNS))

micro:
	swift run --package-path Benchmarks -c release bench micro

# make guard ACCEPT="because …" accepts the figures of now.
guard:
	@scripts/bootstrap --bench
	Benchmarks/guard/guard $(if $(ACCEPT),accept "$(ACCEPT)")

# What a store promises and which stores keep it; also written into Documentation/stores.md.
conformance:
	@scripts/bootstrap
	WRITE_CONFORMANCE=1 swift test --filter StoreReportTests
