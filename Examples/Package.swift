// swift-tools-version:6.2
// Programs that use the library from outside: `swift run --package-path Examples fetch URL...`
import PackageDescription

let library: [Target.Dependency] = [.product(name: "SwiftGet", package: "swiftget")]

let package = Package(
  name: "examples",
  dependencies: [.package(name: "swiftget", path: "..")],
  targets: [
    .executableTarget(name: "fetch", dependencies: library),
    .executableTarget(name: "models", dependencies: library),
    .executableTarget(name: "progress", dependencies: library),
    .executableTarget(name: "queue", dependencies: library),
    .executableTarget(name: "shows", dependencies: library),
  ],
  swiftLanguageModes: [.v6]
)
