# `make run` and `make test` are the commands of the README. Targets install what they need.
.PHONY: run test check examples static api test-macros test-library test-tools test-sorted test-web test-browser test-tsan lint \
  apple-variants conformance firestore-conformance docs bench micro guard cluster-test crash-test power-test fault-test damage-test soak \
  test-sanitized fuzz sync-chaos train

# A test run's exit code must survive the pipe that keeps its log.
SHELL = bash
.SHELLFLAGS = -o pipefail -c
# Prints a test run, and then its ten slowest suites and its failures.
SUMMARY = | tee "$$log"; code=$$?; scripts/summary "$$log"; rm -f "$$log"; exit $$code

# Sorted/ is a separate package. Its build folder is separate too unless SORTED_BUILD names another, as in .ci/run.
SORTED = --package-path Sorted $(if $(SORTED_BUILD),--scratch-path $(SORTED_BUILD) --disable-build-manifest-caching)

run:
	@scripts/bootstrap
	@[ -e Sorted/.build/debug/sorted ] || [ -n "$(SORTED_BUILD)" ] || \
	  echo "make: the first build takes 6 to 8 minutes on two cores; swift-syntax, NIO and BoringSSL are most of it"
	swift run $(SORTED) sorted serve --sample

# CPU-heavy suites run last so that other tests don't time out.
ALONE = ReliabilityTests|RandomSequenceTests
WEB = SortedWebTests

test: test-macros test-library test-tools test-sorted examples

# Before each commit: what needs no server, no browser and no second package. Under two minutes on a built tree.
check: lint
	@scripts/bootstrap
	scripts/rooms
	swift build --build-tests
	@log=$$(mktemp); swift test --skip-build --skip '$(ALONE)|$(SLOW)' $(SUMMARY)
	scripts/examples Books

# The suites that need PostgreSQL, kill processes or run thousands of random cases.
SLOW = PostgresTests|ConformanceTests|CrashTests|TwoProcessesTests|LeakTests|DifferentialTests|LawTests

# Builds and runs each example, and compares what it prints.
examples:
	@scripts/bootstrap
	BUILD=$(or $(SORTED_BUILD),Examples/.build) scripts/examples

test-library:
	@scripts/bootstrap
	@log=$$(mktemp); scripts/postgres swift test --skip '$(ALONE)' $(SUMMARY)
	@log=$$(mktemp); swift test --skip-build --filter '$(ALONE)' $(SUMMARY)

# The command swiftdata and its servers. SORTED_BUILD names their build folder too.
TOOLS = --package-path Tools $(if $(SORTED_BUILD),--scratch-path $(SORTED_BUILD) --disable-build-manifest-caching)
test-tools:
	@scripts/bootstrap
	@log=$$(mktemp); scripts/postgres swift test $(TOOLS) $(SUMMARY)

# Four clients save 5,000 notes while they and their servers are killed 40 times: one server on SQLite, two on PostgreSQL, and
# two on a PostgreSQL database that loses its primary.
sync-chaos:
	@scripts/bootstrap
	SYNC_KILLS=40 SYNC_NOTES=1250 scripts/postgres swift test $(TOOLS) --filter KilledProcessTests

test-sorted:
	@scripts/bootstrap
	@log=$$(mktemp); scripts/postgres swift test $(SORTED) --skip '$(WEB)' $(SUMMARY)
	@log=$$(mktemp); swift test $(SORTED) --skip-build --filter '$(WEB)' $(SUMMARY)
	scripts/unless-missing scripts/assist-model
	scripts/unless-missing scripts/script-tests
	scripts/unless-missing scripts/postgres scripts/browser

# The expansions and diagnostics of the macros. Package.swift explains why they are a separate test bundle. It replaces the other
# bundle, so `make test` runs it first.
test-macros:
	@scripts/bootstrap
	SWIFTDATA_MACRO_TESTS=1 swift test

# Sorted's web pages, over a socket and in a browser.
test-web:
	@scripts/bootstrap
	swift test $(SORTED) --filter '$(WEB)'
	scripts/unless-missing scripts/script-tests
	scripts/postgres scripts/browser

# Only the browser tests.
test-browser:
	@scripts/bootstrap
	scripts/postgres scripts/browser

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Sorted/Package.swift Sorted/Sources Sorted/Tests \
	  Sorted/Fuzz Tools Examples Benchmarks/Package.swift Benchmarks/Sources

# A release of sorted with Swift's runtime inside, run where no Swift is installed. The first build takes 16 minutes on two cores.
static:
	@scripts/bootstrap
	scripts/static

# The reference documentation as a static site, in .build/docs/site.
docs:
	@scripts/bootstrap
	swift build $(if $(SORTED_BUILD),--disable-build-manifest-caching)
	swift build $(SORTED)
	scripts/docs

# Compares the public API with the accepted one; make api ACCEPT=1 accepts it as it is.
api: docs
	scripts/api $(if $(ACCEPT),--write)

# make bench ONLY=W3,W4x RUNS=9; make bench ONLY=apple ROWS=1000000 measures stores of Apple's frameworks; ONLY=sync
# measures sync beside the same work without sync, the memory of a first sync, and many clients; ONLY=partitions measures
# partitions on one and on three servers;
# ONLY=cluster starts servers and measures fetches from replicas. It needs root and cgroups, because each server gets 15 % of a
# core while reads are measured.
CLUSTER = swift run --skip-build --package-path Benchmarks -c release bench cluster --save Benchmarks/cluster.json \
  $(if $(ROWS),--rows $(ROWS)) $(if $(RUNS),--runs $(RUNS))

bench:
	@scripts/bootstrap
ifeq ($(ONLY),apple)
	swift run --package-path Benchmarks -c release bench apple $(if $(ROWS),--rows $(ROWS)) $(if $(RUNS),--runs $(RUNS))
else ifeq ($(ONLY),sync)
	swift build --package-path Tools -c release --product SyncBench
	for part in cost first clients; do \
	  swift run --skip-build --package-path Tools -c release SyncBench $$part || exit 1; done
else ifeq ($(ONLY),partitions)
	scripts/postgres sh -c 'export BENCH_URL="$$POSTGRES_URL"; unset POSTGRES_URL; exec "$$@"' sh \
	  scripts/postgres sh -c 'export BENCH_SHARD_1="$$POSTGRES_URL"; unset POSTGRES_URL; exec "$$@"' sh \
	  scripts/postgres sh -c 'export BENCH_SHARD_2="$$POSTGRES_URL"; exec "$$@"' sh \
	  swift run --package-path Benchmarks -c release bench partitions $(if $(ROWS),--rows $(ROWS))
else ifeq ($(ONLY),cluster)
	swift build --package-path Benchmarks -c release --product bench
	scripts/cluster --direct --asynchronous $(CLUSTER) overhead
	scripts/cluster --direct --asynchronous --nodes 4 --cpu 15 $(CLUSTER) reads
else
	swift run --package-path Benchmarks -c release bench $(if $(RUNS),--runs $(RUNS)) \
	  $(if $(ONLY),--only $(ONLY),--save Benchmarks/results.json)
	scripts/figures --write
endif

micro:
	swift run --package-path Benchmarks -c release bench micro

# make guard ACCEPT="because …" accepts the current figures.
guard:
	@scripts/bootstrap --bench
	Benchmarks/guard/guard $(if $(ACCEPT),accept "$(ACCEPT)")

# make cluster-test ROUNDS=200: a primary with two replicas fails over under eight writers.
cluster-test:
	@scripts/bootstrap
	CLUSTER_ROUNDS=$(or $(ROUNDS),20) scripts/postgres swift test --filter ClusterTests

# Damages stores of Apple's frameworks at random and reads them: make apple-variants VARIANTS=10000.
apple-variants:
	@scripts/bootstrap
	APPLE_STORE_VARIANTS=$(or $(VARIANTS),10000) SWIFTDATA_TESTS=SwiftDataAppleStoreTests swift test --filter HostileFileTests

# Trains the assistant's weights and writes their scores (Documentation/assist.md). The same data gives the same weights. CHECK=1
# writes nothing and fails if the committed weights differ from what the recipe gives.
train:
	@scripts/bootstrap
	swift run --package-path Sorted -c release AssistTrainer $(if $(CHECK),--check)

# Checks each store against all guarantees and writes the table in Documentation/stores.md.
conformance:
	@scripts/bootstrap
	WRITE_CONFORMANCE=1 scripts/postgres swift test --filter StoreReportTests

# The tests of shared state, under the thread sanitizer.
test-tsan:
	@scripts/bootstrap
	scripts/sanitized thread . 'ConformanceTests|SwiftDataTests.(ConcurrencyTests|ContextUseTests|ModelActorTests)'

# The whole suite under both sanitizers. scripts/sanitized lists the excluded tests.
test-sanitized:
	@scripts/bootstrap
	scripts/sanitized thread .
	scripts/sanitized thread Sorted
	scripts/sanitized address .
	scripts/sanitized address Sorted

# make fuzz TARGET=request SECONDS=60 runs libFuzzer with the address sanitizer on one target. It starts from
# Sorted/Fuzz/Corpus/TARGET, adds new inputs to Sorted/.build-asan/corpus/TARGET, and writes a crashing input to crash-TARGET-….
FUZZ = Sorted/.build-asan
fuzz:
	@scripts/bootstrap
	SWIFTDATA_FUZZ=1 swift build --package-path Sorted --product FuzzRunner --toolset scripts/sanitizers/address.json \
	  --scratch-path $(FUZZ)
	mkdir -p $(FUZZ)/corpus/$(TARGET)
	ASAN_OPTIONS=detect_leaks=0 FUZZ_TARGET=$(TARGET) $(FUZZ)/debug/FuzzRunner \
	  -dict=Sorted/Fuzz/dictionary -max_total_time=$(or $(SECONDS),60) -max_len=8192 -timeout=20 \
	  -artifact_prefix=crash-$(TARGET)- $(FUZZ)/corpus/$(TARGET) Sorted/Fuzz/Corpus/$(TARGET)

# Google's Firestore client against the local server.
firestore-conformance:
	@scripts/bootstrap
	@scripts/conformance

# Documentation/reliability.md describes these checks. SEED=s repeats a run.
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
