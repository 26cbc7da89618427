# The two commands of the README; both set up what they need first.
.PHONY: run test test-tsan conformance lint

run:
	@scripts/bootstrap
	swift run sorted demo

test:
	@scripts/bootstrap
	swift test

lint:
	swift format lint --strict --recursive Package.swift Sources Tests

# Its own build folder: what is built for the sanitizer fits nothing else.
test-tsan:
	@scripts/bootstrap
	swift build --build-tests --sanitize=thread --scratch-path .build-tsan
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan.suppressions" \
	  swift test --skip-build --sanitize=thread --scratch-path .build-tsan \
	  --filter 'SwiftDataTests.(ConcurrencyTests|ContextUseTests|ModelActorTests)'

# Google's own client of Firestore against the local server.
conformance:
	@scripts/bootstrap
	@scripts/conformance
