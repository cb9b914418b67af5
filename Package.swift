// swift-tools-version:6.0
// swiftget: one executable on libcurl and OpenSSL. README.md draws the layers; arrows point down only.
import PackageDescription

let swift: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]
/// Simulations compute for minutes without optimisation. A package that uses this one as a library may not get such flags.
let simulated: [SwiftSetting] =
  Context.environment["SWIFTGET_TESTS"] == nil
  ? swift : swift + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

let package = Package(
  name: "swiftget",
  products: [
    .executable(name: "swiftget", targets: ["swiftget"]),
    // Tests preload them.
    .library(name: "AllocationCounter", type: .dynamic, targets: ["AllocationCounter"]),
    .library(name: "FailingCalls", type: .dynamic, targets: ["FailingCalls"]),
  ],
  targets: [
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
    .target(name: "CShims", dependencies: ["CCurl"], cSettings: [.define("_GNU_SOURCE")]),

    .target(name: "DownloadCore", resources: [.embedInCode("Foreign/foreign-options.tsv")], swiftSettings: simulated),
    .target(name: "Transport", dependencies: ["DownloadCore", "CShims", "CCurl", "COpenSSL"], swiftSettings: swift),
    .target(name: "FileStore", dependencies: ["DownloadCore", "CShims", "COpenSSL"], swiftSettings: swift),
    .target(name: "Metalink", dependencies: ["DownloadCore", "CExpat"], swiftSettings: swift),
    .target(
      name: "DownloadEngine", dependencies: ["DownloadCore", "Transport", "FileStore", "CShims"], swiftSettings: swift),
    .target(name: "JSONLists", dependencies: ["DownloadCore", "CJansson"], swiftSettings: swift),
    .target(name: "Decompression", dependencies: ["CZlib", "CLzma", "CZstd"], swiftSettings: swift),
    .target(name: "ManifestWriting", dependencies: ["DownloadCore"], swiftSettings: swift),
    .target(name: "Signatures", dependencies: ["DownloadCore", "FileStore", "COpenSSL"], swiftSettings: swift),
    .target(
      name: "LocalFiles", dependencies: ["DownloadCore", "DownloadEngine", "FileStore", "ManifestWriting", "CShims"],
      swiftSettings: swift),
    .target(
      name: "Console",
      dependencies: [
        "DownloadCore", "DownloadEngine", "Transport", "FileStore", "LocalFiles", "ManifestWriting", "Metalink",
        "JSONLists", "Decompression", "Signatures", "CShims",
      ],
      swiftSettings: swift),
    .executableTarget(name: "swiftget", dependencies: ["Console"], swiftSettings: swift),

    .target(name: "AllocationCounter", path: "Tests/AllocationCounter", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "FailingCalls", path: "Tests/FailingCalls", cSettings: [.define("_GNU_SOURCE")]),
    .target(
      name: "TestSupport", dependencies: ["DownloadCore", "FileStore", "CShims", "CZlib", "CLzma", "CZstd"],
      path: "Tests/TestSupport", swiftSettings: swift),
    .testTarget(name: "DownloadCoreTests", dependencies: ["DownloadCore", "TestSupport"], swiftSettings: simulated),
    .testTarget(name: "MetalinkTests", dependencies: ["Metalink", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DecompressionTests", dependencies: ["Decompression", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "JSONListsTests", dependencies: ["JSONLists", "DownloadCore", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "ManifestWritingTests",
      dependencies: ["ManifestWriting", "DownloadCore", "Metalink", "JSONLists", "TestSupport"], swiftSettings: swift),
    .testTarget(
      name: "SignaturesTests", dependencies: ["Signatures", "DownloadCore", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "LocalFilesTests", dependencies: ["LocalFiles", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "TransportTests", dependencies: ["Transport", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "FileStoreTests", dependencies: ["FileStore", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "DownloadEngineTests", dependencies: ["DownloadEngine", "TestSupport"], swiftSettings: swift),
    .testTarget(name: "ConsoleTests", dependencies: ["Console", "swiftget", "TestSupport"], swiftSettings: swift),
  ],
  swiftLanguageModes: [.v6]
)
