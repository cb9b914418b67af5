package import DownloadCore
package import DownloadMetalink

/// What a run is to get: its URLs and lists, how these are read, and which of their files are wanted.
package struct ListOptions: Sendable, Equatable {
  package var urls: [[UInt8]] = []
  /// Whether braces and brackets in URLs mean several URLs.
  package var expandsGlobs = false
  /// Valid with exactly one URL only, like `mirrors`.
  package var checksums: [ContentDigest] = []
  package var mirrors: [[UInt8]] = []
  /// Lists: paths, URLs or `-`.
  package var inputs: [[UInt8]] = []
  /// Whether URLs without encryption are left out, or refused if a file has no other one (`--https-only`).
  package var isHTTPSOnly = false
  /// The name of a `ListFormat`; nil detects the format.
  package var inputFormat: String?
  /// `--columns`, `--url-template` and `--url-scheme`.
  package var columns = ColumnRules()
  /// `--metalink-language`, `--metalink-os` and `--metalink-location`.
  package var metalink = MetalinkPreferences()
  package var signatures = SignatureOptions()
  package var baseURL: [UInt8]?
  /// The lock file that names all that may be downloaded (`--frozen`).
  package var frozen: [UInt8]?
  /// Which files of lists are wanted.
  package var filter = NameFilter()
  /// The part of the run that is wanted (`--shard`); nil is all.
  package var shard: Shard?
  /// Whether wrong lines of lists are left out (`--keep-going`).
  package var keepsGoing = false

  package init() {}

  /// The URLs that a URL of the command line stands for.
  package func glob(_ url: [UInt8]) throws(URLGlob.Problem) -> URLGlob {
    expandsGlobs ? try URLGlob(url) : URLGlob(plain: url)
  }

  /// How many URLs those of the command line stand for.
  package var urlCount: Int { urls.reduce(0) { count, url in count + ((try? glob(url).count) ?? 1) } }

  /// Whether a list may come from standard input, under whatever name.
  package var readsStandardInput: Bool {
    inputs.contains { $0 == [UInt8(ascii: "-")] || $0.starts(with: "/dev/".utf8) || $0.starts(with: "/proc/".utf8) }
  }

  /// Whether lists or their signatures are downloaded before the run.
  package var fetchesInputs: Bool {
    (inputs + [signatures.signature].compactMap(\.self)).contains(where: TargetName.isURL)
  }
}

/// `--verify-signature` and `--signature`.
package struct SignatureOptions: Sendable, Equatable {
  /// Paths of keys, or keys. Lists need no signature where there is none.
  package var keys: [[UInt8]] = []
  /// The path or URL of the one list's signature; nil looks beside each list.
  package var signature: [UInt8]?

  package init() {}
}

/// What is done with files.
package enum FileWork: Sendable, Hashable, CaseIterable {
  case download
  /// A session is worked on until its process is stopped (`serve`). No lists are read.
  case serve
  /// They are added to a session (`--session`).
  case queue
  /// They are checked on this machine (`--check`).
  case check
  /// What a download would do with them is told (`--dry-run`).
  case plan
  /// Servers are asked about them (`--spider`).
  case ask
  /// A manifest of a directory is written (`--write-manifest`).
  case writeManifest

  package var usesNetwork: Bool { [.download, .queue, .ask].contains(self) }
}
