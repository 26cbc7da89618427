# The two commands of the README; both set up what they need first.
.PHONY: run test lint

run:
	@scripts/bootstrap
	swift run sorted demo

test:
	@scripts/bootstrap
	swift test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources

# make bench ONLY=W3,W4x RUNS=9
.PHONY: bench

bench:
	@scripts/bootstrap
	swift run --package-path Benchmarks -c release bench $(if $(ONLY),--only $(ONLY)) $(if $(RUNS),--runs $(RUNS))
