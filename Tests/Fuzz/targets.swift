// The fuzz program, which Tests/fuzz.sh adds to a copy of the package.
package.targets += [
  .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
  .executableTarget(
    name: "Fuzz",
    dependencies: [
      "DownloadCore", "DownloadTransport", "DownloadMetalink", "DownloadJSON", "DownloadCompression",
      "DownloadSignatures", "DownloadLists", "DownloadWords", "DownloadControl", "SwiftGet", "CommandOptions",
      "TestSupport",
      "CFuzzer",
    ],
    path: "Tests/Fuzz/Fuzz", swiftSettings: swift),
]
