extension ManPageText {
  /// The end of the page.
  static let examples: [Block] = [
    .section("EXAMPLES"),
    .opening("Download a file, or go on with it:"),
    .example(["swiftget https://example.org/debian.iso"]),
    .paragraph("Download it from either of two servers, and take it only if it is the right one:"),
    .example([
      "swiftget --checksum sha256:HEX --mirror https://mirror.example.net/debian.iso \\",
      "    https://example.org/debian.iso",
    ]),
    .paragraph("Download and verify all that a checksum file names, into a directory:"),
    .example(["swiftget -d isos -i SHA256SUMS --base-url https://example.org/isos/"]),
    .paragraph("Download a list nightly from cron, with mail only when something fails:"),
    .example(["swiftget -q -d /srv/data -i /etc/data-urls.txt"]),
    .paragraph("Unpack while downloading:"),
    .example(["swiftget -o - https://example.org/src.tar.gz | tar xz"]),
    .section("SEE ALSO"),
    .opening("`swiftget-manifest`(5), `swiftget-sidecar`(5), `curl`(1), `wget`(1), `aria2c`(1), `sha256sum`(1)"),
  ]
}
