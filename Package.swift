// swift-tools-version:6.2
// swiftget: one executable on libcurl and OpenSSL. docs/design.md draws the layers; arrows point down only.
import PackageDescription

let swift: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
/// Simulations compute for minutes without optimisation. A package that uses this one as a library may not get such flags.
let simulated: [SwiftSetting] =
  Context.environment["SWIFTGET_TESTS"] == nil
  ? swift : swift + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// The programs of `Examples`, for the tests. `Examples/Package.swift` has them as packages of their own have them.
let examples: [Target] =
  Context.environment["SWIFTGET_TESTS"] == nil
  ? []
  : ["fetch", "models", "progress", "queue", "shows"].map {
    .executableTarget(name: $0, dependencies: ["SwiftGet"], path: "Examples/Sources/\($0)", swiftSettings: swift)
  }

/// What tests preload.
let preloaded: [Product] =
  Context.environment["SWIFTGET_TESTS"] == nil
  ? []
  : ["AllocationCounter", "FailingCalls"].map { .library(name: $0, type: .dynamic, targets: [$0]) }

let package = Package(
  name: "swiftget",
  products: [
    .executable(name: "swiftget", targets: ["swiftget"]),
    .library(name: "SwiftGet", targets: ["SwiftGet"]),
    .library(name: "SwiftGetFoundation", targets: ["SwiftGetFoundation"]),
  ] + preloaded,
  targets: [
    .systemLibrary(name: "CSwiftGetCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "CSwiftGetOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSwiftGetExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CSwiftGetJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CSwiftGetSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSwiftGetZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CSwiftGetLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CSwiftGetZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CSwiftGetShims", dependencies: ["CSwiftGetCurl"], cSettings: [.define("_GNU_SOURCE")]),

    .target(name: "DownloadCore", resources: [.embedInCode("Foreign/foreign-options.tsv")], swiftSettings: simulated),
    .target(
      name: "DownloadTransport", dependencies: ["DownloadCore", "CSwiftGetShims", "CSwiftGetCurl", "CSwiftGetOpenSSL"],
      swiftSettings: swift),
    .target(
      name: "DownloadFiles", dependencies: ["DownloadCore", "CSwiftGetShims", "CSwiftGetOpenSSL"], swiftSettings: swift),
    .target(name: "DownloadMetalink", dependencies: ["DownloadCore", "CSwiftGetExpat"], swiftSettings: swift),
    .target(
      name: "DownloadEngine", dependencies: ["DownloadCore", "DownloadTransport", "DownloadFiles", "CSwiftGetShims"],
      swiftSettings: swift),
    .target(
      name: "DownloadStore",
      dependencies: ["DownloadCore", "DownloadFiles", "DownloadTransport", "DownloadEngine", "CSwiftGetSQLite"],
      swiftSettings: swift),
    .target(
      name: "DownloadControl",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadTransport", "DownloadEngine", "DownloadJSON", "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(
      name: "SwiftGet",
      dependencies: [
        "DownloadCore", "DownloadEngine", "DownloadTransport", "DownloadFiles", "DownloadListWriting", "DownloadWords",
        "DownloadLists", "DownloadJSON", "DownloadStore", "DownloadControl", "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(name: "SwiftGetFoundation", dependencies: ["SwiftGet"], swiftSettings: swift),
    .target(name: "DownloadJSON", dependencies: ["DownloadCore", "CSwiftGetJansson"], swiftSettings: swift),
    .target(
      name: "DownloadCompression", dependencies: ["CSwiftGetZlib", "CSwiftGetLzma", "CSwiftGetZstd"],
      swiftSettings: swift),
    .target(name: "DownloadListWriting", dependencies: ["DownloadCore"], swiftSettings: swift),
    .target(
      name: "DownloadSignatures", dependencies: ["DownloadCore", "DownloadFiles", "CSwiftGetOpenSSL"],
      swiftSettings: swift),
    .target(
      name: "DownloadScratch", dependencies: ["DownloadCore", "DownloadFiles"], swiftSettings: swift),
    .target(
      name: "DownloadWords",
      dependencies: [
        "DownloadCore", "DownloadTransport", "DownloadCompression", "DownloadSignatures", "DownloadScratch",
        "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(
      name: "DownloadHashing",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadEngine", "DownloadScratch", "DownloadWords", "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(
      name: "DownloadLists",
      dependencies: [
        "DownloadCore", "DownloadTransport", "DownloadFiles", "DownloadEngine", "DownloadMetalink", "DownloadJSON",
        "DownloadCompression", "DownloadSignatures", "DownloadListWriting", "DownloadScratch", "DownloadWords",
        "DownloadHashing",
      ], swiftSettings: swift),
    .target(
      name: "DownloadEvents",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadEngine", "DownloadListWriting", "DownloadScratch", "DownloadWords",
        "DownloadHashing", "DownloadLists",
      ], swiftSettings: swift),
    .target(
      name: "CommandSets",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadEngine", "DownloadScratch", "DownloadWords", "CSwiftGetShims",
      ],
      swiftSettings: swift),
    .target(
      name: "CommandChecking",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadEngine", "DownloadListWriting", "DownloadScratch", "DownloadWords",
        "DownloadHashing", "DownloadLists", "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(
      name: "CommandOptions",
      dependencies: [
        "DownloadCore", "DownloadFiles", "DownloadTransport", "DownloadEngine", "DownloadListWriting",
        "DownloadScratch",
        "DownloadWords", "DownloadLists", "DownloadEvents", "CommandChecking", "CSwiftGetShims",
      ], swiftSettings: swift),
    .target(
      name: "CommandManual",
      dependencies: [
        "DownloadCore", "DownloadWords", "DownloadLists", "CommandOptions", "CommandControl", "CSwiftGetShims",
      ],
      swiftSettings: swift),
    .target(name: "CommandDisplay", dependencies: ["DownloadCore", "DownloadWords"], swiftSettings: swift),
    .target(
      name: "CommandControl",
      dependencies: [
        "DownloadCore", "DownloadTransport", "DownloadFiles", "DownloadJSON", "DownloadStore", "DownloadControl",
        "DownloadWords", "DownloadLists", "DownloadEngine", "CommandOptions", "CommandDisplay", "SwiftGet",
      ], swiftSettings: swift),
    .target(
      name: "CommandMain",
      dependencies: [
        "DownloadCore", "DownloadTransport", "DownloadEngine", "DownloadListWriting",
        "DownloadScratch",
        "DownloadWords", "DownloadHashing", "DownloadLists", "DownloadEvents", "CommandSets", "CommandChecking",
        "CommandControl", "CommandDisplay", "SwiftGet", "CommandOptions", "CommandManual", "CSwiftGetShims",
      ], swiftSettings: swift),
    .executableTarget(name: "swiftget", dependencies: ["CommandMain"], swiftSettings: swift),

    .target(name: "AllocationCounter", path: "Tests/AllocationCounter", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "RecordingSystem", dependencies: ["CSwiftGetSQLite"], path: "Tests/RecordingSystem"),
    .target(name: "FailingCalls", path: "Tests/FailingCalls", cSettings: [.define("_GNU_SOURCE")]),
    .target(
      name: "TestSupport",
      dependencies: [
        "DownloadCore", "DownloadFiles", "CSwiftGetShims", "CSwiftGetZlib", "CSwiftGetLzma", "CSwiftGetZstd",
      ],
      path: "Tests/TestSupport", swiftSettings: swift),
    .testTarget(name: "DownloadCoreTests", dependencies: ["DownloadCore", "TestSupport"], swiftSettings: simulated),
    .testTarget(
      name: "DownloadMetalinkTests", dependencies: ["DownloadMetalink", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "DownloadCompressionTests", dependencies: ["DownloadCompression", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "DownloadJSONTests", dependencies: ["DownloadJSON", "DownloadCore", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "DownloadListWritingTests",
      dependencies: ["DownloadListWriting", "DownloadCore", "DownloadMetalink", "DownloadJSON", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "DownloadSignaturesTests", dependencies: ["DownloadSignatures", "DownloadCore", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "DownloadTransportTests", dependencies: ["DownloadTransport", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadFilesTests", dependencies: ["DownloadFiles", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "DownloadControlTests",
      dependencies: ["DownloadControl", "DownloadFiles", "DownloadJSON", "TestSupport", "CSwiftGetShims"],
      swiftSettings: swift),
    .testTarget(
      name: "DownloadStoreTests",
      dependencies: [
        "DownloadStore", "DownloadEngine", "DownloadFiles", "TestSupport", "RecordingSystem", "CSwiftGetSQLite",
      ],
      swiftSettings: swift),
    .testTarget(name: "DownloadEngineTests", dependencies: ["DownloadEngine", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadScratchTests", dependencies: ["DownloadScratch", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadHashingTests", dependencies: ["DownloadHashing", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadListsTests", dependencies: ["DownloadLists", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadEventsTests", dependencies: ["DownloadEvents", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "CommandSetsTests", dependencies: ["CommandSets", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "CommandCheckingTests", dependencies: ["CommandChecking", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "CommandControlTests",
      dependencies: ["CommandControl", "SwiftGet", "DownloadCore", "DownloadJSON", "DownloadWords", "TestSupport"],
      swiftSettings: swift),
    .testTarget(name: "CommandDisplayTests", dependencies: ["CommandDisplay", "DownloadCore"], swiftSettings: swift),
    .testTarget(
      name: "CommandTests", dependencies: ["CommandMain", "CommandDisplay", "swiftget", "TestSupport"],
      swiftSettings: swift),
    .testTarget(
      name: "SwiftGetTests",
      dependencies: [
        "SwiftGet", "SwiftGetFoundation", "DownloadCore", "DownloadFiles", "DownloadEngine", "DownloadJSON",
        "DownloadStore",
        "DownloadControl", "TestSupport", "swiftget",
      ]
        + examples.map { .target(name: $0.name) },
      swiftSettings: swift),
  ] + examples,
  swiftLanguageModes: [.v6]
)
