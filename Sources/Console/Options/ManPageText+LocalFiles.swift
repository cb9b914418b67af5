extension ManPageText {
  /// What is done without a network.
  static let localFiles: [Block] = [
    .section("CHECKING FILES"),
    .opening(
      """
      With `--check` nothing is downloaded. Every file that the lists and URLs of the command line name is looked up \
      where a download would put it, and its length and all of its digests are compared with what is known about it; \
      the digests of pieces where there is no digest of the whole. All processors are used. A checksum file needs no \
      `--base-url`. Names may contain control characters here. Names that servers give cannot be known, so \
      `--content-disposition` is refused.
      """),
    .paragraph(
      """
      Standard output has a line for each file, in the order of the lists, as that of `sha256sum -c`: *NAME*`: OK`; \
      *NAME*`: FAILED`; *NAME*`: FAILED open or read` for a file that is missing, cannot be read, changes while it is \
      read, or is a directory, a symbolic link or a device; *NAME*`: size only` if the length is right and the list has \
      no digest; and *NAME*`: unverifiable` if neither a digest nor a length is known, or all digests are of algorithms \
      that are not. `-q` omits the lines with `OK` and, unless one of them makes the check fail, the last two. A terminal also shows how far the check is. Standard error says why a file could not be read, with `-v` also what \
      differs, and at the end how many files are wrong.
      """),
    .paragraph(
      """
      The status is 0 if no file is wrong. It is 9 if one differs or is missing, or has digests of unknown algorithms \
      only; with `--strict` also if one has no digest to compare; 3 if one could not be read; 2 if a list is wrong.
      """),
    .paragraph(
      """
      With `--progress json` standard output has an object in place of each line: `event` (`check`), `name`, `result` \
      (`ok`, `size-only`, `different`, `missing`, `unreadable`, `unverifiable`, and of a bag `unlisted`, `contradiction`), `reason`, \
      `source`. Before them `start` has `version` and `items`; about four times a second `progress` has `seconds`, \
      `items`, `checked`, `failed`, `read` (bytes) and `rate`; at the end `end` has `status`, `seconds`, `size-only`, `checked`, \
      `failed`, `unverifiable`.
      """),
    .paragraph(
      """
      Of a BagIt bag everything is checked: the payload files and the files beside them that its manifests list, that \
      each file below `data` is listed (otherwise the result is *NAME*`: FAILED not listed`), and the number of files \
      and bytes that `bag-info.txt` states. A status of 0 means that the bag is valid.
      """),
    .example(["swiftget --check -i SHA256SUMS -d downloads", "swiftget --check -i bag"]),
    .section("WRITING MANIFESTS"),
    .opening(
      """
      With `--write-manifest` all files below *DIR* are hashed on all processors. The manifest names them relative to \
      *DIR*, sorted by the bytes of their names, so that the same files give the same manifest. With `--output` it \
      replaces the file of that name as a whole when everything is hashed; an error leaves the old file. Symbolic links \
      are not followed. They, special files, and unfinished downloads are left out with a warning; the manifest itself \
      is left out. A file or directory that cannot be read, or a file that changes while it is read, is an error with \
      status 3.
      """),
    .entry(
      "`gnu`, `bsd`",
      """
      The lines of `sha256sum` and its relatives, without and with the name of the algorithm. `sha256sum -c` reads both. \
      With several algorithms each file has a line for each of them. Of two algorithms with digests of the same length, \
      `gnu` allows only one; if that is `blake2b`, `blake2s` or one of SHA-3, name the file *B2SUMS*, *BLAKE2SSUMS* or \
      *SHA3-256SUMS*, by which swiftget recognizes it.
      """),
    .entry(
      "`metalink`",
      """
      Metalink 4 (RFC 5854), for which `--base-url` is required. Files of more than 4 MiB have digests of pieces of at \
      least 1 MiB, by the first algorithm. Names with control characters, and names that are not UTF-8, are refused, and \
      so are BLAKE2 and SHA-3.
      """),
    .entry(
      "`json`, `jsonl`",
      """
      A list in swiftget's own format, as a document or in lines; see `swiftget-manifest`(5). Without `--base-url` the \
      URLs are relative references, which need that option when the list is used. Names that are not UTF-8 are refused.
      """),
    .entry(
      "`bagit`",
      """
      A BagIt bag (RFC 8493). With `--in-place`, *DIR* becomes the bag: everything in it moves into *DIR*`/data`. If \
      that is interrupted, some of it is in *DIR*`/data.swiftget-tmp`; the same command goes on from there. What a bag \
      cannot list, such as symbolic links, is an error then. With `-o` *BAG* a new directory is made, with copies of the \
      files.
      """),
    .example([
      "swiftget --write-manifest gnu -o SHA256SUMS release",
      "swiftget --write-manifest metalink --base-url https://example.org/release/ -o release.meta4 release",
    ]),
  ]
}
