# The two commands of the README; both set up what they need first.
.PHONY: run test test-macros test-library test-sorted test-web test-browser test-tsan lint conformance firestore-conformance \
  bench micro guard crash-test power-test fault-test damage-test soak test-sanitized fuzz

# Sorted/ is a package of its own, with a build folder of its own unless SORTED_BUILD names another, as .ci/run does.
SORTED = --package-path Sorted $(if $(SORTED_BUILD),--scratch-path $(SORTED_BUILD) --disable-build-manifest-caching)

run:
	@scripts/bootstrap
	swift run $(SORTED) sorted serve --sample

# What keeps both cores busy runs after the others, whose clients would give up waiting.
ALONE = ReliabilityTests|RandomSequenceTests
WEB = SortedWebTests

test: test-macros test-library test-sorted

test-library:
	@scripts/bootstrap
	scripts/postgres swift test --skip '$(ALONE)'
	swift test --skip-build --filter '$(ALONE)'

test-sorted:
	@scripts/bootstrap
	scripts/postgres swift test $(SORTED) --skip '$(WEB)'
	swift test $(SORTED) --skip-build --filter '$(WEB)'
	scripts/unless-missing scripts/postgres scripts/browser

# What the macros expand to and what they refuse. Package.swift says why they are a bundle of their own; it takes the place of
# the other one, so that it comes first in `make test`.
test-macros:
	@scripts/bootstrap
	SWIFTDATA_MACRO_TESTS=1 swift test

# Sorted's web pages: over a socket, and in a real browser.
test-web:
	@scripts/bootstrap
	swift test $(SORTED) --filter '$(WEB)'
	scripts/postgres scripts/browser

# Only what is done in a real browser.
test-browser:
	@scripts/bootstrap
	scripts/postgres scripts/browser

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Sorted/Package.swift Sorted/Sources Sorted/Tests \
	  Sorted/Fuzz Benchmarks/Package.swift Benchmarks/Sources

# make bench ONLY=W3,W4x RUNS=9
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
	WRITE_CONFORMANCE=1 scripts/postgres swift test --filter StoreReportTests

# What is shared between threads, under the thread sanitizer alone.
test-tsan:
	@scripts/bootstrap
	scripts/sanitized thread . 'ConformanceTests|SwiftDataTests.(ConcurrencyTests|ContextUseTests|ModelActorTests)'

# The whole suite under both sanitizers; left out is what says so in scripts/sanitized.
test-sanitized:
	@scripts/bootstrap
	scripts/sanitized thread .
	scripts/sanitized thread Sorted
	scripts/sanitized address .
	scripts/sanitized address Sorted

# make fuzz TARGET=request SECONDS=60: libFuzzer over one target, with the address sanitizer. It starts from what is kept in
# Sorted/Fuzz/Corpus/TARGET, learns into Sorted/.build-asan/corpus/TARGET, and leaves what crashes as crash-TARGET-….
FUZZ = Sorted/.build-asan
fuzz:
	@scripts/bootstrap
	SWIFTDATA_FUZZ=1 swift build --package-path Sorted --product FuzzRunner --toolset scripts/sanitizers/address.json \
	  --scratch-path $(FUZZ)
	mkdir -p $(FUZZ)/corpus/$(TARGET)
	ASAN_OPTIONS=detect_leaks=0 FUZZ_TARGET=$(TARGET) $(FUZZ)/debug/FuzzRunner \
	  -dict=Sorted/Fuzz/dictionary -max_total_time=$(or $(SECONDS),60) -max_len=8192 -timeout=20 \
	  -artifact_prefix=crash-$(TARGET)- $(FUZZ)/corpus/$(TARGET) Sorted/Fuzz/Corpus/$(TARGET)

# Google's own client of Firestore against the local server.
firestore-conformance:
	@scripts/bootstrap
	@scripts/conformance

# Documentation/reliability.md says what these look for. SEED=s repeats a run.
RELIABILITY = swift run Reliability $(1) $(if $(SEED),--seed $(SEED))

crash-test:
	@scripts/bootstrap
	$(call RELIABILITY,crash-test --rounds $(or $(ROUNDS),50))

power-test:
	@scripts/bootstrap
	$(call RELIABILITY,power-test --cuts $(or $(CUTS),200))

fault-test:
	@scripts/bootstrap
	$(call RELIABILITY,faults --every $(or $(EVERY),1))
	swift run $(SORTED) ImportFaults $(or $(EVERY),1)

damage-test:
	@scripts/bootstrap
	$(call RELIABILITY,damage --count $(or $(COUNT),300))

soak:
	@scripts/bootstrap
	$(call RELIABILITY,soak --seconds $$(( $(or $(MINUTES),30) * 60 )))
