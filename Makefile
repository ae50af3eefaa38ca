# Every task of this repository. Needs Node >= 20.19 with npm, and make; `make test` on a fresh clone does the rest.

MOCHA := node_modules/.bin/mocha
ROOMS := src controller broker test

# Compiled tests that `make test` leaves out: what takes minutes, and what needs clients from elsewhere.
LONG := 'dist/test/e2e/long/**' 'dist/test/sim-long/**' 'dist/test/interop/**'
# The slice of the suite that SHORT=1 runs on the other Nodes: what leans on native code and on the engine.
SLICE := $(foreach room,base records raft log rpc,'dist/test/$(room)/**/*.test.js')

# The same flags as the loader's in src/rpc/protos.ts: types must say what it delivers.
PROTO_FLAGS := --longs=Number --enums=Number --defaults --oneofs --grpcLib=@grpc/grpc-js
# common.proto comes along as an import; named here it yields a file with unused lines, which the compiler refuses.
PROTO_GEN := node_modules/.bin/proto-loader-gen-types \
	$(filter-out common.proto,$(notdir $(wildcard proto/*.proto))) --includeDirs=proto \
	--importFileExtension=.ts $(PROTO_FLAGS)
GENERATED := src/rpc/generated

# Nodes beside the one in use; their binaries come as npm packages.
NODES := 24.22.3 26.12.1
NODE_PACKAGE = node-$(shell node -p 'process.platform + "-" + process.arch')
NODE_BINARIES = $(foreach version,$(NODES),.cache/node-$(version)/node_modules/$(NODE_PACKAGE)/bin/node)

# What `make drill-smoke` runs, and how often.
DRILLS := kill-leader kill-follower kill-controller kill-leader-and-controller pause-leader kill-all
TRIALS ?= 3
WEIR := node dist/src/cli/main.js

.PHONY: build test e2e lint verify fix proto proto-check demo bench cluster clean test-nodes drill-smoke interop \
	pack-test sim sim-raft mutants

# Installs when node_modules is missing or older than the lock file.
node_modules/.package-lock.json: package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

# Compiles, then drops the output of sources that are gone: a deleted test must not run on.
build: node_modules/.package-lock.json
	node_modules/.bin/tsc
	@find $(addprefix dist/,$(ROOMS)) -name '*.js' 2>/dev/null | while read -r file; do \
		source=$${file#dist/}; [ -e "$${source%.js}.ts" ] || rm -f "$$file" "$$file.map" "$${file%.js}.d.ts"; \
	done

# The last line is `N passed, N failed`, with `, N skipped` if any were.
test: build
	@$(MOCHA) $(addprefix --ignore ,$(LONG)) 'dist/test/**/*.test.js'

e2e: build
	@$(MOCHA) 'dist/test/e2e/**/*.test.js'

lint: node_modules/.package-lock.json
	node_modules/.bin/oxlint $(ROOMS)
	node_modules/.bin/depcruise --config .dependency-cruiser.cjs $(ROOMS)

# Everything that says whether the tree is good; changes no file under version control.
verify: build lint proto-check test

# The only target that rewrites sources.
fix: node_modules/.package-lock.json
	node_modules/.bin/oxlint --fix $(ROOMS)

proto: node_modules/.package-lock.json
	rm -rf $(GENERATED)
	$(PROTO_GEN) --outDir=$(GENERATED)

proto-check: node_modules/.package-lock.json
	@rm -rf .cache/generated && mkdir -p .cache
	@$(PROTO_GEN) --outDir=.cache/generated
	@diff -r $(GENERATED) .cache/generated \
		|| { echo '$(GENERATED) is not what proto/ says: run `make proto`'; exit 1; }

demo: build
	@node dist/test/demo/main.js

bench: build
	@node dist/test/bench/main.js

# Three controllers and three brokers on this machine; their data goes when they do.
cluster: build
	@$(WEIR) up --ephemeral

# A whole cluster on virtual time: SEED alone runs one seed; RUNS=n that many from SEED on (default 1), on all cores, until
# one fails. MS: how much virtual time each takes. See test/sim/README.md.
sim: build
	@MS=$(or $(MS),60000) node --enable-source-maps dist/test/sim/main.js \
		$(if $(RUNS),many $(RUNS) $(or $(SEED),1),one $(or $(SEED),1))

# The bare Raft simulator: RUNS seeds from FROM on, on all cores; or SEED alone, with its trace when it fails.
sim-raft: build
	@node --enable-source-maps dist/test/sim/raft/main.js $(if $(SEED),one $(SEED),$(or $(RUNS),10000) $(or $(FROM),1))

# Plants one bug after another in a copy of the build and counts the seeds until the simulator sees it. ONLY=3,14: some.
mutants: build
	@node --enable-source-maps dist/test/mutants/main.js

.cache/node-%/node_modules/$(NODE_PACKAGE)/bin/node:
	npm install --prefix .cache/node-$* --no-save --no-package-lock --no-audit --no-fund $(NODE_PACKAGE)@$*

# The suite, or with SHORT=1 a slice of it, on every Node of NODES.
test-nodes: build $(NODE_BINARIES)
	@status=0; for node in $(NODE_BINARIES); do \
		echo "Node $$($$node --version)"; \
		PATH="$(CURDIR)/$$(dirname $$node):$$PATH" $$node $(MOCHA) $(addprefix --ignore ,$(LONG)) \
			$(if $(SHORT),$(SLICE),'dist/test/**/*.test.js') || status=1; \
	done; exit $$status

# A few trials of each drill: kill processes under load, then count what was lost.
drill-smoke: build
	@passed=0; failed=0; for drill in $(DRILLS); do \
		if $(WEIR) drill $$drill --trials $(TRIALS); then passed=$$((passed + 1)); \
		else failed=$$((failed + 1)); fi; \
	done; \
	echo "$$passed passed, $$failed failed"; [ $$failed -eq 0 ]

# Programs of other makers against our clusters and files. Each brings what it needs into .cache, or is skipped in words.
interop: build
	@$(MOCHA) 'dist/test/interop/**/*.test.js'

# Installs the package as a user would, and uses it.
pack-test: build
	@.ci/pack-test

clean:
	rm -rf dist .cache
