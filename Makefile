# swiftget: `make` builds, `make test` tests, `make install` installs. `make help` lists the rest.

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR = $(DESTDIR)$(PREFIX)/bin
MANDIR = $(DESTDIR)$(PREFIX)/share/man
DATADIR = $(DESTDIR)$(PREFIX)/share/swiftget
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

SWIFT ?= swift
# Swift's runtime goes into the binary, and of that only what is used; symbols that are exported count as used. Exclusive
# access is checked while debug builds run, which the tests are; in a release build the checks take 6 % of the
# instructions for a small file. The module _StringProcessing would bring its regular expressions along, 1.4 MB.
RELEASE = -c release --disable-local-rpath --static-swift-stdlib -Xlinker --gc-sections -Xlinker --no-export-dynamic \
  -Xlinker -s -Xswiftc -enforce-exclusivity=unchecked -Xlinker -L$(CURDIR)/$(ARCHIVES) \
  -Xswiftc -Xfrontend -Xswiftc -disable-implicit-string-processing-module-import
# So does libstdc++, which the runtime needs, where the compiler has it as an archive: one library less to load and bind,
# a ninth of the instructions of `--version`. The linker looks here first, and finds nothing else.
ARCHIVES = .build/archives
BINARY = .build/release/swiftget
# Readers of our manifests that Debian does not have.
PEERS = .build/peers
# The binary has 17.4 MB. Foundation's Unicode tables alone would be 44.
SIZE_LIMIT = 17800000

SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
# Servers live in sbin, which is not on every user's path.
SEARCH = PATH="$$PATH:/usr/sbin:/usr/local/sbin"

.PHONY: all build help deps bench-deps install uninstall test bench figures lint format generate api docs sanitize \
  mutants fuzz check-size demo picture clean deb deb-lint dist test-deb package-deps

# Prerequisites run in the order they are named: dependencies first.
.NOTPARALLEL:

# What to build before installing. Empty: $(BINARY) as it is.
BUILT = build

all: $(BUILT)

# STRICT=1 makes warnings errors.
ifdef STRICT
RELEASE += -Xswiftc -warnings-as-errors
endif

build:
	@mkdir -p $(ARCHIVES)
	@archive="$$({ clang -print-file-name=libstdc++.a || cc -print-file-name=libstdc++.a; } 2>/dev/null)"; \
	  [ ! -e "$$archive" ] || ln -sf "$$archive" $(ARCHIVES)/
	$(SWIFT) build $(RELEASE) --product swiftget

help:
	@echo "make              build $(BINARY); STRICT=1 makes warnings errors"
	@echo "make install      PREFIX=$(PREFIX) DESTDIR=: the binary, man pages and completions"
	@echo "make uninstall    take them out again"
	@echo "make deb          a Debian package in $(PACKAGES)"
	@echo "make deb-lint     the package under lintian"
	@echo "make dist         tarballs of the sources and of the binary in $(DIST); MINISIGN_KEY=FILE signs them"
	@echo "make test-deb     install the package in a new Debian, as root, and download a file there"
	@echo "make demo         download a checksum list from a server on this machine"
	@echo "make deps         install what building and testing need, with apt, where it is missing"
	@echo "make test         everything, the release binary included"
	@echo "make lint format  check, or set, the layout of the sources; lint checks the texts of mutants, too"
	@echo "make generate     write man/ and completions/ from the option table"
	@echo "make docs         the documentation of the library, in .build/docs"
	@echo "make api          write docs/SwiftGet-API.txt, the public symbols of the library"
	@echo "make picture      draw the pictures of README.md and docs: a run, ctl watch, the results of make bench"
	@echo "make sanitize     the tests under AddressSanitizer, then ThreadSanitizer"
	@echo "make mutants      take guards out one at a time; the tests must notice"
	@echo "make fuzz         SECONDS=$(SECONDS) of random input for each parser, under libFuzzer"
	@echo "make check-size   the binary needs C libraries only, and is small"
	@echo "make figures      what commands to the engine, its subscribers and a session's tasks cost"
	@echo "make bench        side by side with other downloaders (make bench-deps installs them)"

# $(call need,TEST,PACKAGE): the package, where the test fails.
need = $(SEARCH) sh -c '$(1)' >/dev/null 2>&1 || missing="$$missing $(2)";

# Installs $$missing. Debian starts a server as soon as it is installed; a policy keeps it from that meanwhile.
define apt_install
if [ -n "$$missing" ]; then \
  echo "installing:$$missing"; \
  policy=/usr/sbin/policy-rc.d; \
  if [ ! -e $$policy ]; then \
    printf '#!/bin/sh\nexit 101\n' | $(SUDO) tee $$policy >/dev/null; \
    $(SUDO) chmod 755 $$policy; \
    trap '$(SUDO) rm -f /usr/sbin/policy-rc.d' EXIT INT TERM; \
  fi; \
  $(SUDO) apt-get update -q && \
  $(SUDO) env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -q -y --no-install-recommends $$missing </dev/null; \
fi
endef

deps:
	@missing=""; \
	$(call need,command -v pkg-config,pkg-config) \
	$(call need,pkg-config --exists libcurl,libcurl4-openssl-dev) \
	$(call need,pkg-config --exists libcrypto,libssl-dev) \
	$(call need,pkg-config --exists expat,libexpat1-dev) \
	$(call need,pkg-config --exists jansson,libjansson-dev) \
	$(call need,pkg-config --exists sqlite3,libsqlite3-dev) \
	$(call need,pkg-config --exists zlib,zlib1g-dev) \
	$(call need,pkg-config --exists liblzma,liblzma-dev) \
	$(call need,pkg-config --exists libzstd,libzstd-dev) \
	$(call need,command -v openssl,openssl) \
	$(call need,command -v nginx,nginx) \
	$(call need,command -v apache2,apache2-bin) \
	$(call need,command -v nghttpd,nghttp2-server) \
	$(call need,command -v python3,python3) \
	$(call need,/usr/bin/python3 -c "import jsonschema",python3-jsonschema) \
	$(call need,command -v ip,iproute2) \
	$(call need,command -v strace,strace) \
	$(call need,command -v tmux,tmux) \
	$(call need,command -v zsh,zsh) \
	$(call need,command -v fish,fish) \
	$(call need,command -v gpgv,gpgv) \
	$(call need,command -v systemd-analyze,systemd) \
	$(call need,command -v aria2c,aria2) \
	$(call need,parallel --version | grep GNU,parallel) \
	$(call need,command -v wget2,wget2) \
	$(call need,command -v xmllint,libxml2-utils) \
	$(call need,/usr/bin/python3 -c "import ensurepip",python3-venv) \
	$(call need,command -v mandoc,mandoc) \
	$(call need,command -v dpkg-shlibdeps,dpkg-dev) \
	$(call need,command -v dh,debhelper) \
	$(call need,command -v fakeroot,fakeroot) \
	$(call need,command -v minisign,minisign) \
	$(call need,command -v git,git) \
	$(apt_install)
	@[ -e $(PEERS)/ready ] || { rm -rf $(PEERS) && /usr/bin/python3 -m venv $(PEERS) && \
	  $(PEERS)/bin/pip install -q --disable-pip-version-check bagit==1.9.0 pooch==1.9.0 && touch $(PEERS)/ready; } || \
	  echo "without bagit-python and pooch: no test asks them"

bench-deps: deps
	@missing=""; \
	$(call need,command -v curl,curl) \
	$(call need,command -v axel,axel) \
	$(call need,command -v lftp,lftp) \
	$(call need,command -v cc,gcc libc6-dev) \
	$(apt_install)

# For deb-lint and test-deb. Building a package needs less: see deps.
package-deps: deps
	@missing=""; \
	$(call need,command -v lintian,lintian) \
	$(call need,command -v debootstrap,debootstrap) \
	$(apt_install)

UNITS = $(notdir $(wildcard share/swiftget/examples/*))

install: $(BUILT)
	install -d $(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5 $(MANDIR)/man7 $(DATADIR)/examples $(BASHDIR) $(ZSHDIR) $(FISHDIR)
	install -m 755 $(BINARY) $(BINDIR)/swiftget
	install -m 644 man/*.1 $(MANDIR)/man1/
	install -m 644 man/*.5 $(MANDIR)/man5/
	install -m 644 man/*.7 $(MANDIR)/man7/
	install -m 644 share/swiftget/*.schema.json $(DATADIR)/
	for unit in $(UNITS); do \
	  sed 's,/usr/local/bin/,$(PREFIX)/bin/,' share/swiftget/examples/$$unit > $(DATADIR)/examples/$$unit || exit 1; \
	done
	install -m 644 completions/swiftget.bash $(BASHDIR)/swiftget
	install -m 644 completions/_swiftget $(ZSHDIR)/_swiftget
	install -m 644 completions/swiftget.fish $(FISHDIR)/swiftget.fish

uninstall:
	rm -f $(BINDIR)/swiftget $(BASHDIR)/swiftget $(ZSHDIR)/_swiftget $(FISHDIR)/swiftget.fish
	rm -f $(addprefix $(DATADIR)/,$(notdir $(wildcard share/swiftget/*.schema.json))) \
	  $(addprefix $(DATADIR)/examples/,$(UNITS))
	rm -f $(addprefix $(MANDIR)/man1/,$(notdir $(wildcard man/*.1)))
	rm -f $(addprefix $(MANDIR)/man5/,$(notdir $(wildcard man/*.5)))
	rm -f $(addprefix $(MANDIR)/man7/,$(notdir $(wildcard man/*.7)))

PACKAGES = $(CURDIR)/.build/packages
DIST = $(CURDIR)/.build/dist

deb: $(BUILT)
	mkdir -p $(PACKAGES)
	rm -f $(PACKAGES)/*.deb
	$(MAKE) -f debian/rules clean
	DEB_RULES_REQUIRES_ROOT=no $(MAKE) -f debian/rules binary BUILT= PACKAGES=$(PACKAGES)
	$(MAKE) -f debian/rules clean

deb-lint: package-deps deb
	lintian --fail-on error --tag-display-limit 0 $(PACKAGES)/*.deb

dist: $(BUILT)
	BINARY=$(BINARY) Tests/dist.sh $(DIST)

test-deb: package-deps deb
	$(SUDO) Tests/package-install.sh $(PACKAGES)/*.deb

# Package.swift has simulations optimised then.
test sanitize: export SWIFTGET_TESTS = 1

# The tests of the binary run against the one that ships, not against a debug build. What is compared with the clock
# runs first and alone. The library's tests run apart, because Swift tasks wait while other tests block the threads that
# run them. The engine's tests run once more as on a slow disk, where part files have writers.
test: deps check-size
	BINARY=$(BINARY) Tests/packages.sh
	SWIFT="$(SWIFT)" Tests/run.sh --filter 'Held to reality'
	SWIFT="$(SWIFT)" SWIFTGET_BINARY="$(CURDIR)/$(BINARY)" Tests/run.sh --skip 'Held to reality' --skip SwiftGetTests
	SWIFT="$(SWIFT)" Tests/run.sh --skip-build --filter SwiftGetTests
	SWIFT="$(SWIFT)" SWIFTGET_SUSPECTS_DEVICES=1 Tests/run.sh --skip-build --filter DownloadEngineTests \
	  --skip 'Held to reality'

# The mutants, too, must fit the sources.
lint:
	$(SWIFT) format lint --strict -r Sources Tests Examples Package.swift
	MUTANTS_TEXTS=1 Tests/mutants.sh
	MUTANTS_TEXTS=1 Tests/list-mutants.sh

format:
	$(SWIFT) format -i -r Sources Tests Examples Package.swift

generate: $(BUILT)
	mkdir -p man completions
	$(BINARY) --generate man > man/swiftget.1
	$(BINARY) --generate man-guide > man/swiftget-guide.7
	$(BINARY) --generate man-output > man/swiftget-output.5
	$(BINARY) --generate bash > completions/swiftget.bash
	$(BINARY) --generate zsh > completions/_swiftget
	$(BINARY) --generate fish > completions/swiftget.fish

# The library's debug build; its symbols are those of any other.
LIBRARY = .build/debug
api docs: export SWIFTGET_TESTS = 1

api:
	$(SWIFT) build --target SwiftGetFoundation
	python3 Tests/api.py $(LIBRARY) > .build/api.txt
	mv .build/api.txt docs/SwiftGet-API.txt

docs:
	$(SWIFT) build --target SwiftGetFoundation
	rm -rf .build/docs
	python3 Tests/api.py $(LIBRARY) --graphs .build/docs/graphs
	docc convert docs/SwiftGet.docc --additional-symbol-graph-dir .build/docs/graphs --warnings-as-errors \
	  --fallback-display-name SwiftGet --fallback-bundle-identifier swiftget.SwiftGet \
	  --output-path .build/docs/SwiftGet.doccarchive

# Each has a build of its own, whose binary the tests find next to themselves. XCTest, which the test process starts
# with, leaves a few objects behind; tables of tests hold enumerations by pointers with tags, and objects hold their
# tables of weak references by shifted pointers, which are taken for lost.
# THREAD_SANITIZER makes `Lock` a pthread mutex, which ThreadSanitizer can follow. An interrupted run does not wait for
# a thread that is syncing. The simulations are values without threads or pointers: a few rounds do here. What is
# compared with the clock says nothing about a program that runs at a tenth of its speed.
SANITIZED = SWIFTGET_SIMULATION_ROUNDS=100 SWIFTGET_NETWORK_ROUNDS=10 SWIFTGET_FUZZ_ROUNDS=2000
ADDRESS = $(SANITIZED) LSAN_OPTIONS="suppressions=$(CURDIR)/.build/leaks:print_suppressions=0" SWIFT="$(SWIFT)" \
  Tests/run.sh --sanitize=address --scratch-path .build/address
THREAD = $(SANITIZED) SWIFTGET_ENGINE_COMMANDS=100000 TSAN_OPTIONS="suppressions=$(CURDIR)/.build/races" SWIFT="$(SWIFT)" \
  Tests/run.sh --sanitize=thread -Xswiftc -DTHREAD_SANITIZER --scratch-path .build/thread
sanitize: deps
	mkdir -p .build
	printf 'leak:libXCTest\nleak:libFoundationEssentials\nleak:Wordsof\nleak:formWeakReference\n' > .build/leaks
	$(ADDRESS) --skip 'Held to reality' --skip SwiftGetTests
	$(ADDRESS) --skip-build --filter SwiftGetTests
	printf 'thread:WorkerThread\n' > .build/races
	$(THREAD) --skip 'Held to reality' --skip SwiftGetTests
	$(THREAD) --skip-build --filter SwiftGetTests

mutants: deps
	Tests/mutants.sh
	SWIFT="$(SWIFT)" Tests/list-mutants.sh

# For each parser so many seconds. FUZZ=pattern takes those whose name fits.
SECONDS = 60
fuzz: deps
	SWIFT="$(SWIFT)" FUZZ_SECONDS=$(SECONDS) Tests/fuzz.sh

check-size: build
	@libraries="$$(ldd $(BINARY))" || exit 1; \
	if echo "$$libraries" | grep -E 'libswift|Foundation|libdispatch|libBlocksRuntime|libicu.*[Ff]oundation'; then \
	  echo "check-size: $(BINARY) needs the Swift libraries above; only C libraries may be left" >&2; exit 1; \
	fi; \
	size="$$(stat -L -c %s $(BINARY))"; \
	if [ "$$size" -gt $(SIZE_LIMIT) ]; then \
	  echo "check-size: $(BINARY) has $$size bytes, more than $(SIZE_LIMIT)" >&2; exit 1; \
	fi; \
	echo "check-size: $$size bytes, C libraries only"

demo: deps $(BUILT)
	@Tests/Benchmarks/demo.sh $(BINARY)

picture: deps $(BUILT)
	python3 Tests/picture.py $(BINARY) docs/pictures
	python3 Tests/Benchmarks/bench.py --svg docs/pictures/speed --summary Tests/Benchmarks/results/*.json

bench: bench-deps build
	python3 Tests/Benchmarks/bench.py --swiftget $(BINARY) $(BENCH)

# The engine, the library and named sessions; no peer has the like.
figures: build
	python3 Tests/Benchmarks/sessions.py --swiftget $(BINARY)
	python3 Tests/Benchmarks/library.py --swiftget $(BINARY)
	python3 Tests/Benchmarks/waiting.py --swiftget $(BINARY)
	SWIFTGET_TESTS=1 SWIFTGET_FIGURES=1 $(SWIFT) test -c release -Xswiftc -enable-testing \
	  --scratch-path .build/figures --filter 'Figures of'

clean:
	rm -rf .build
