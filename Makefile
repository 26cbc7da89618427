# A command fails if one in its pipe fails.
SHELL = bash
# How many tests of a process run at a time (scripts/test says why).
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
.SHELLFLAGS = -o pipefail -c

# `make run` and `make test` are the commands of the README. Targets install what they need, and say so first.
.PHONY: run test test-all check examples release manuals api test-macros test-library test-tools test-sorted test-browser test-tsan lint \
  apple-variants conformance firestore-conformance docs bench micro guard cluster-test crash-test power-test fault-test damage-test soak \
  test-sanitized fuzz sync-simulate sync-chaos train

# Sorted/, Assistant/, Firestore/ and Tools/ are separate packages. BUILD_FOLDER and BUILD_OPTIONS apply to all of them (scripts/package).
LIBRARY = $$(scripts/package .)
SORTED = $$(scripts/package Sorted)
TOOLS = $$(scripts/package Tools)

# make run PORT=9000 serves at another port than 8080. The index, which editors use, costs a quarter of the compiler's time.
# SwiftPM compiles everything again where that choice changes, so this build has a folder of its own.
DEMO = --package-path Sorted --scratch-path Sorted/.build-demo --disable-index-store
run:
	@scripts/bootstrap run
	@[ -e Sorted/.build-demo/debug/sorted-demo ] || \
	  echo "make: the first build takes about five minutes on two cores; swift-syntax, BoringSSL and NIO are half of it"
	swift run $(DEMO) sorted-demo $(PORT)

# All packages build in one folder here, so that what they have in common is built once. Plain `swift build` has its own folders: SwiftPM
# would take the build plan of another package for its own. The engine and sync are optimised, because the random tests compute most.
test test-all docs api: export BUILD_FOLDER := $(or $(BUILD_FOLDER),$(CURDIR)/.build-all)
test test-all docs api: export BUILD_OPTIONS := $(or $(BUILD_OPTIONS),--disable-index-store)
test test-all docs api: export SWIFTDATA_OPTIMIZED := 1

# The tests of all packages. LANDING=1 adds what a change has to pass besides (.ci/run).
test:
	@scripts/bootstrap test
	@scripts/test $(if $(LANDING),--landing)

# What else the hosted workflow runs each night: long random tests, both browsers, PgBouncer, examples, documentation, public API.
test-all:
	@scripts/bootstrap test-all
	swift build $(LIBRARY)
	swift build $(SORTED)
	swift build $(TOOLS)
	@scripts/test --all

# Before each commit: what needs no server, no browser and no second package. Under two minutes on a built tree.
check: lint
	@scripts/bootstrap test
	scripts/folders
	scripts/prose
	swift build $(LIBRARY) --build-tests
	@log=$$(mktemp); swift test $(LIBRARY) --skip-build --skip '$(SLOW)' | tee "$$log"; code=$$?; \
	  scripts/summary "$$log" || code=1; rm -f "$$log"; exit $$code
	scripts/examples Books

# The suites that need PostgreSQL, kill processes or run thousands of random cases.
SLOW = PostgresTests|ConformanceTests|CrashTests|TwoProcessesTests|LeakTests|DifferentialTests|LawTests|ReliabilityTests|RandomSequenceTests

# Parts of `make test`. The expansions and diagnostics of the macros are a test bundle of their own (Package.swift says why).
test-macros test-library test-tools test-sorted:
	@scripts/bootstrap test
	@scripts/test $(patsubst test-%,%,$@)

# All browser tests.
test-browser:
	@scripts/bootstrap test-all
	scripts/postgres scripts/browser

# Builds and runs each example, and compares what it prints.
examples:
	@scripts/bootstrap examples
	scripts/examples

# Both simulators of sync: RUNS=10000 SEED=1. A failing seed is printed with what went wrong.
sync-simulate:
	SYNC_RUNS=$(or $(RUNS),1000) SYNC_SEED=$(or $(SEED),1) SWIFTDATA_TESTS=SwiftDataSyncTests swift test $(LIBRARY) --filter ZoneSimulationTests

# Four clients save 5,000 notes while they and their servers are killed 40 times: one server on SQLite, two on PostgreSQL, and
# two on a PostgreSQL database that loses its primary.
sync-chaos:
	@scripts/bootstrap test
	SYNC_KILLS=40 SYNC_NOTES=1250 scripts/postgres swift test $(TOOLS) --filter KilledProcessTests

lint:
	swift format lint --strict --parallel --recursive Package.swift Sources Tests TestSupport Sorted/Package.swift Sorted/Sources Sorted/Tests \
	  Sorted/Fuzz Assistant Firestore Tools Examples Benchmarks/Package.swift Benchmarks/Sources

# Releases of swiftdata and sorted with Swift's runtime inside, run where no Swift is installed, with checksums, in
# .build/release-files. The first build of sorted takes 16 minutes on two cores. make release ONLY=swiftdata builds one of them.
release:
	@scripts/bootstrap run
	scripts/release $(ONLY)

# Manual pages and completion scripts of both commands, in .build/manuals.
manuals:
	@scripts/bootstrap run
	scripts/manuals

# The reference documentation as a static site, in .build/docs/site.
docs:
	@scripts/bootstrap run
	swift build $(LIBRARY)
	swift build $(SORTED)
	swift build $(TOOLS)
	scripts/docs

# Compares the public API with the accepted one; make api ACCEPT=1 accepts it as it is.
api: docs
	scripts/api $(if $(ACCEPT),--write)

# make bench ONLY=W3,W4x RUNS=9; make bench ONLY=apple ROWS=1000000 measures stores of Apple's frameworks; ONLY=sync
# measures sync beside the same work without sync, the memory of a first sync, and many clients; ONLY=partitions measures
# partitions on one and on three servers; ONLY=server measures many clients of one program, on SQLite and on PostgreSQL;
# ONLY=rest measures the example RestService under wrk, with RUNS and SECONDS; ONLY=cluster starts servers and measures fetches from replicas. It needs root and cgroups, because each server gets 15 % of a
# core while reads are measured.
SERVER = swift run --skip-build --package-path Benchmarks -c release bench server --save Benchmarks/server.json $(if $(RUNS),--runs $(RUNS))
CLUSTER = swift run --skip-build --package-path Benchmarks -c release bench cluster --save Benchmarks/cluster.json \
  $(if $(ROWS),--rows $(ROWS)) $(if $(RUNS),--runs $(RUNS))

bench:
	@scripts/bootstrap $(if $(filter rest,$(ONLY)),rest,bench)
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
else ifeq ($(ONLY),server)
	swift build --package-path Benchmarks -c release --product bench
	$(SERVER) sqlite
	scripts/postgres $(SERVER) postgres
	scripts/figures --write
else ifeq ($(ONLY),rest)
	Benchmarks/rest/measure --save Benchmarks/rest/results.json $(if $(RUNS),--runs $(RUNS)) $(if $(SECONDS),--seconds $(SECONDS))
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
	@scripts/bootstrap bench
	Benchmarks/guard/guard $(if $(ACCEPT),accept "$(ACCEPT)")

# make cluster-test ROUNDS=200: a primary with two replicas fails over under eight writers.
cluster-test:
	@scripts/bootstrap test
	CLUSTER_ROUNDS=$(or $(ROUNDS),20) scripts/postgres swift test $(LIBRARY) --filter ClusterTests

# Damages stores of Apple's frameworks at random and reads them: make apple-variants VARIANTS=10000.
apple-variants:
	@scripts/bootstrap test
	APPLE_STORE_VARIANTS=$(or $(VARIANTS),10000) SWIFTDATA_TESTS=SwiftDataAppleStoreTests swift test $(LIBRARY) --filter HostileFileTests

# Trains the assistant's weights and writes their scores (Assistant/README.md). The same data gives the same weights. CHECK=1
# writes nothing and fails if the committed weights differ from what the recipe gives.
train:
	@scripts/bootstrap run
	swift run --package-path Assistant -c release AssistTrainer $(if $(CHECK),--check)

# Checks each store against all guarantees and writes the table in Documentation/stores.md.
conformance:
	@scripts/bootstrap test
	WRITE_CONFORMANCE=1 scripts/postgres swift test $(LIBRARY) --filter StoreReportTests

# The tests of shared state, under the thread sanitizer.
test-tsan:
	@scripts/bootstrap test
	scripts/sanitized thread . 'ConformanceTests|SwiftDataTests.(ConcurrencyTests|ContextUseTests|ModelActorTests)'

# The whole suite under both sanitizers. scripts/sanitized lists the excluded tests.
test-sanitized:
	@scripts/bootstrap test
	scripts/sanitized thread .
	scripts/sanitized thread Sorted
	scripts/sanitized thread Firestore
	scripts/sanitized address .
	scripts/sanitized address Sorted
	scripts/sanitized address Firestore

# make fuzz TARGET=request SECONDS=60 runs libFuzzer with the address sanitizer on one target. It starts from
# Sorted/Fuzz/Corpus/TARGET, adds new inputs to Sorted/.build-asan/corpus/TARGET, and writes a crashing input to crash-TARGET-….
FUZZ = Sorted/.build-asan
fuzz:
	@scripts/bootstrap run
	SWIFTDATA_FUZZ=1 swift build --package-path Sorted --product FuzzRunner --toolset scripts/sanitizers/address.json \
	  --scratch-path $(FUZZ)
	mkdir -p $(FUZZ)/corpus/$(TARGET)
	ASAN_OPTIONS=detect_leaks=0 FUZZ_TARGET=$(TARGET) $(FUZZ)/debug/FuzzRunner \
	  -dict=Sorted/Fuzz/dictionary -max_total_time=$(or $(SECONDS),60) -max_len=8192 -timeout=20 \
	  -artifact_prefix=crash-$(TARGET)- $(FUZZ)/corpus/$(TARGET) Sorted/Fuzz/Corpus/$(TARGET)

# Google's Firestore client against the local server.
firestore-conformance:
	@scripts/bootstrap test
	@scripts/conformance

# Documentation/reliability.md describes these checks. SEED=s repeats a run.
RELIABILITY = swift run $(LIBRARY) Reliability $(1) $(if $(SEED),--seed $(SEED))

crash-test:
	@scripts/bootstrap test
	$(call RELIABILITY,crash-test --rounds $(or $(ROUNDS),50))

power-test:
	@scripts/bootstrap test
	$(call RELIABILITY,power-test --cuts $(or $(CUTS),200))

fault-test:
	@scripts/bootstrap test
	$(call RELIABILITY,faults --every $(or $(EVERY),1))
	swift run $(SORTED) ImportFaults $(or $(EVERY),1)

damage-test:
	@scripts/bootstrap test
	$(call RELIABILITY,damage --count $(or $(COUNT),300))

soak:
	@scripts/bootstrap test
	$(call RELIABILITY,soak --seconds $$(( $(or $(MINUTES),30) * 60 )))
