# The two commands of the README; both set up what they need first.
.PHONY: run test lint conformance

run:
	@scripts/bootstrap
	swift run sorted demo

test:
	@scripts/bootstrap
	swift test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests

# What a store promises and which stores keep it; also written into Documentation/stores.md.
conformance:
	@scripts/bootstrap
	WRITE_CONFORMANCE=1 swift test --filter StoreReportTests
