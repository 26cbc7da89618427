# The two commands of the README; both set up what they need first.
.PHONY: run test lint

run:
	@scripts/bootstrap
	swift run sorted demo

test:
	@scripts/bootstrap
	swift test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests
