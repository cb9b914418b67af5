// swift-tools-version:6.2
// What the library costs, for library.py.
import PackageDescription

let package = Package(
  name: "library",
  dependencies: [.package(name: "swiftget", path: "../../..")],
  targets: [
    .executableTarget(name: "library", dependencies: [.product(name: "SwiftGet", package: "swiftget")])
  ],
  swiftLanguageModes: [.v6]
)
