// swift-tools-version:6.0
// The fuzz program. Tests/fuzz.sh builds it in a directory that has Sources and Tests of the package.
import PackageDescription

let package = Package(
  name: "fuzz",
  targets: [
    .systemLibrary(name: "CCurl", path: "Sources/CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CExpat", path: "Sources/CExpat", pkgConfig: "expat"),
    .systemLibrary(name: "CJansson", path: "Sources/CJansson", pkgConfig: "jansson"),
    .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CLzma", path: "Sources/CLzma", pkgConfig: "liblzma"),
    .systemLibrary(name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd"),
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .target(name: "CShims", dependencies: ["CCurl"], cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "DownloadCore", swiftSettings: swift),
    .target(name: "Transport", dependencies: ["DownloadCore", "CShims", "CCurl", "COpenSSL"], swiftSettings: swift),
    .target(name: "FileStore", dependencies: ["DownloadCore", "CShims", "COpenSSL"], swiftSettings: swift),
    .target(name: "DownloadEngine", dependencies: ["DownloadCore", "Transport", "FileStore"], swiftSettings: swift),
    .target(name: "Metalink", dependencies: ["DownloadCore", "CExpat"], swiftSettings: swift),
    .target(name: "JSONLists", dependencies: ["DownloadCore", "CJansson"], swiftSettings: swift),
    .target(name: "Decompression", dependencies: ["CZlib", "CLzma", "CZstd"], swiftSettings: swift),
    .target(name: "Signatures", dependencies: ["DownloadCore", "FileStore", "COpenSSL"], swiftSettings: swift),
    .target(
      name: "Naming", dependencies: ["DownloadCore", "DownloadEngine"], path: "Sources/Console/Input",
      sources: ["OutputTemplate.swift"], swiftSettings: swift),
    .target(
      name: "Samples", dependencies: ["CZlib", "CLzma", "CZstd"], path: "Tests/TestSupport",
      sources: ["Compressor.swift", "SignatureSamples.swift", "OpenPGPSamples.swift"], swiftSettings: swift),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "DownloadCore", "Transport", "Metalink", "JSONLists", "Decompression", "Signatures", "Naming", "Samples",
        "CFuzzer",
      ],
      path: "Tests/Fuzz/Fuzz", swiftSettings: swift),
  ],
  swiftLanguageModes: [.v6]
)

var swift: [SwiftSetting] { [.enableUpcomingFeature("InternalImportsByDefault")] }
