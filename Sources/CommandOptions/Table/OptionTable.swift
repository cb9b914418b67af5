internal import DownloadCore

/// All options of the command line.
///
/// Flow: this table feeds `CommandLineScanner` (raw bytes), whose findings `InvocationBuilder` applies to an `Invocation`;
/// `Generator` makes help, man page and completions of the same rows, and a test compares them
/// with the files in `man/` and `completions/`.
package enum OptionTable {
  package static let options: [OptionSpec] =
    inputOptions + selectionOptions + signatureOptions + speedOptions + patienceOptions + existingOptions
    + requestOptions + networkOptions + sessionOptions + unattendedOptions + localFileOptions + recordOptions
    + configurationOptions
    + displayOptions

  /// Those of help, man page and completions.
  package static let shown = options.filter { !$0.isHidden }

  package static func spec(_ id: OptionID) -> OptionSpec {
    guard let spec = options.first(where: { $0.id == id }) else { preconditionFailure("no row for \(id)") }
    return spec
  }

  /// The shown option of this name, without or with dashes.
  static func named(_ word: [UInt8]) -> OptionSpec? {
    let name = String(decoding: word.drop { $0 == UInt8(ascii: "-") }, as: UTF8.self)
    return shown.first { $0.longs.contains(name) }
  }

  /// Flags by the names that take them back. They have no rows in help.
  package static let negations: [String: OptionSpec] = {
    // What is a name of an option, and wget's `--no-verbose`, keeps its meaning.
    let taken = Set(options.flatMap(\.longs) + ["no-verbose"])
    let flags = options.filter { spec in
      spec.argument == .nothing && spec.effect.takeBack != nil && spec.opposite == nil && !taken.contains(spec.negation)
    }
    return Dictionary(uniqueKeysWithValues: flags.map { ($0.negation, $0) })
  }()

  private static let inputOptions: [OptionSpec] = [
    OptionSpec(
      id: .inputFile, long: "input-file", short: "i", argument: .required("FILE"), values: .files,
      effect: .append(\.lists.inputs) { try $0.nonEmpty() }, verbs: .lists, scope: .input, repeats: true,
      isOfOneRun: true,
      summary: "Use this list: a file, a URL, or - for standard input",
      detail: """
        Download every file that the list *FILE* names. `-` is standard input. A URL is downloaded first: relative \
        names in it start at that URL, and it may not set headers or credentials. The directory of a BagIt bag is a \
        list, too. The format and the compression (gzip, xz, zstd) are detected by content; see \
        `swiftget-manifest`(5). May be given several times.
        """,
      example: "swiftget -i urls.txt",
      group: .input, isCommon: true),
    OptionSpec(
      id: .baseURL, long: "base-url", argument: .required("URL"),
      effect: .value(\.lists.baseURL) { try $0.nonEmpty() }, verbs: .files, scope: .input, needs: [.list],
      isOfOneRun: true,
      summary: "Directory URL for names without URLs in a list",
      detail: """
        Resolve relative names in the list against *URL*, a directory with or without a slash at its end. Local \
        checksum files contain names only, so they need this option.
        """,
      example: "swiftget -i SHA256SUMS --base-url https://example.org/isos/",
      group: .input, isCommon: true),
    OptionSpec(
      id: .inputFormat, long: "input-format", argument: .required("FORMAT"),
      values: .oneOf(ListFormat.allCases.map(\.rawValue)),
      effect: .value(\.lists.inputFormat) { try $0.choice() }, verbs: .lists, scope: .input, needs: [.list],
      isOfOneRun: true,
      summary: "Format of the lists, if it is not detected correctly",
      detail: """
        Read the list as this format instead of detecting it: \
        \(ListFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
        """,
      example: "swiftget -i urls.txt --input-format urls",
      group: .input),
    OptionSpec(
      id: .columns, long: "columns", argument: .required("COLUMNS"),
      effect: .value(\.lists.columns.choice) { try $0.columns() }, verbs: .lists, scope: .input, needs: [.list],
      isOfOneRun: true,
      summary: "Columns of a table: url=NAME,md5=NAME,out=NAME",
      detail: """
        Read URLs, names, sizes and digests from these columns of a table, or these values of JSON records. \
        *COLUMNS* are entries such as `url=`*COLUMN*, `mirror=`*COLUMN*, `out=`*COLUMN*, `size=`*COLUMN* or \
        *ALGO*`=`*COLUMN*, separated by commas. *COLUMN* is a name in the header, a number counted from 1, or a path \
        in JSON such as `download.url` or `packages.*.url`. An entry such as `type=file` is a condition: other rows \
        are skipped. By default the names in the header decide. See TSV AND CSV and JSON OF ANY FORM in \
        `swiftget-manifest`(5).
        """,
      example: "swiftget -i samples.csv --columns url=link,md5=sum,out=file",
      group: .input),
    OptionSpec(
      id: .urlTemplate, long: "url-template", argument: .required("TEMPLATE"),
      effect: .value(\.lists.columns.template) { try $0.urlTemplate() }, verbs: .lists, scope: .input, needs: [.list],
      isOfOneRun: true,
      summary: "URL of a row: https://example.org/data/{id}",
      detail: """
        Make the URL of each row of a table, or of each JSON record, from *TEMPLATE*: a URL with columns in braces, \
        such as `https://api.gdc.cancer.gov/data/{id}`. A value is escaped as one path segment; `{+path}` keeps its \
        slashes.
        """,
      example: "swiftget -i samples.csv --url-template 'https://example.org/data/{id}'",
      group: .input),
    OptionSpec(
      id: .urlScheme, long: "url-scheme", argument: .required("SCHEME"), values: .oneOf(["https", "http"]),
      effect: .value(\.lists.columns.scheme) { try $0.choice() }, verbs: .lists, scope: .input, needs: [.list],
      isOfOneRun: true,
      summary: "Scheme for URLs in lists without one, or with ftp",
      detail: """
        Add the scheme `https` or `http` to URLs of tables and JSON records that have none, and use it instead of \
        `ftp` in any list. By default only reports of the European Nucleotide Archive get `https`.
        """,
      example: "swiftget -i runs.tsv --url-scheme https",
      group: .input),
    OptionSpec(
      id: .metalinkLanguage, long: "metalink-language", argument: .required("LIST"),
      effect: .value(\.lists.metalink.languages) { try $0.words() }, verbs: .lists, scope: .input,
      summary: "Of a Metalink, only files in these languages",
      detail: """
        From a Metalink, download only files in the languages of *LIST* (tags such as `en` or `pt-BR`, separated by \
        commas) and files without a language. `en` includes `en-GB`.
        """,
      example: "swiftget -i release.meta4 --metalink-language de,en",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .metalinkOS, long: "metalink-os", argument: .required("LIST"),
      effect: .value(\.lists.metalink.systems) { try $0.words() }, verbs: .lists, scope: .input,
      summary: "Of a Metalink, only files for these systems",
      detail: """
        From a Metalink, download only files for the operating systems of *LIST* (such as `Linux`, separated by \
        commas) and files without one.
        """,
      example: "swiftget -i release.meta4 --metalink-os Linux",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .metalinkLocation, long: "metalink-location", argument: .required("LIST"),
      effect: .value(\.lists.metalink.locations) { try $0.words() }, verbs: .lists, scope: .input,
      summary: "Prefer mirrors in these countries",
      detail: """
        Prefer mirrors of a Metalink, or mirrors that a server names, in the countries of *LIST*: two-letter codes \
        separated by commas, the preferred one first. Within a country the priority of the mirror decides.
        """,
      example: "swiftget -i release.meta4 --metalink-location de,at",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .dir, long: "dir", short: "d", shortAliases: ["P"], argument: .required("DIR"), values: .directories,
      effect: OptionEffect { $0.invocation.naming.directory = try $1.path() }, verbs: .lists, scope: .input,
      summary: "Put files into this directory",
      detail: "Put the files into *DIR* instead of the working directory. *DIR* is created if it is missing.",
      example: "swiftget -d isos https://example.org/a.iso",
      group: .input, defaultText: ".", isCommon: true),
    OptionSpec(
      id: .output, long: "output", aliases: ["out"], short: "o", argument: .required("FILE"), values: .files,
      effect: .value(\.naming.output) { try $0.outputPath() }, verbs: .files, scope: .task, needs: [.oneURL],
      isOfOneRun: true,
      summary: "Name of the one file; '-' is standard output",
      detail: """
        Name of the file, if exactly one URL is given. A relative name starts at the directory of `--dir`. For `-`, \
        a pipe or a device the bytes are written in order; `/dev/stdout`, `/dev/stderr` and `/dev/fd/`*N* are the \
        open descriptors themselves. By default the last segment of the URL's path is the name.
        """,
      example: "swiftget -o debian.iso https://example.org/a.iso",
      group: .input, isCommon: true),
    OptionSpec(
      id: .checksum, long: "checksum", argument: .required("ALGO:HEX"),
      effect: OptionEffect { try $0.add(checksum: $1) },
      verbs: .lists, scope: .task, repeats: true, needs: [.oneURL], isOfOneRun: true,
      summary: "Digest that the one file must match",
      detail: """
        Accept the file only if its digest is this one, if exactly one URL is given. *ALGO* is `md5`, `sha1`, \
        `sha224`, `sha256`, `sha384`, `sha512`, `sha3-224`, `sha3-256`, `sha3-384`, `sha3-512`, `blake2b` or \
        `blake2s`. `sha-256=`*HEX*, base64 instead of *HEX*, and `sha256-`*BASE64* are understood, too. All of \
        several digests must match. A digest after the `#` of a URL counts as well.
        """,
      example: "swiftget --checksum sha256:HEX https://example.org/a.iso",
      group: .input, isCommon: true),
    OptionSpec(
      id: .mirror, long: "mirror", argument: .required("URL"),
      effect: .append(\.lists.mirrors) { try $0.nonEmpty() },
      verbs: .lists, scope: .task, repeats: true, needs: [.oneURL], isOfOneRun: true,
      summary: "Another URL of the same file; both are used at once",
      detail: """
        *URL* is another source of the same file. Mirrors are used at the same time if a checksum verifies the \
        result, or if their lengths and strong entity tags (ETag) are equal. Otherwise one mirror supplies the whole \
        file; if it fails, the next one starts from zero. May be given several times.
        """,
      example: "swiftget --mirror https://mirror.example.net/a.iso https://example.org/a.iso",
      group: .input),
    OptionSpec(
      id: .include, long: "include", argument: .required("GLOB"),
      effect: .append(\.lists.filter.included) { try $0.nonEmpty() },
      verbs: .lists, scope: .input, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "Only download files in lists that match this pattern",
      detail: """
        Download only files in lists whose names match *GLOB*, or one of several. A pattern without a slash is \
        compared with the last component of the name. A pattern with a slash is compared with the whole name; `**` \
        matches slashes, too, and `**/` matches any number of directories. The name is that in the list, before \
        `--strip-components` and `--output-template` change it.
        """,
      example: "swiftget -i urls.txt --include '*.iso'",
      group: .input),
    OptionSpec(
      id: .exclude, long: "exclude", argument: .required("GLOB"),
      effect: .append(\.lists.filter.excluded) { try $0.nonEmpty() },
      verbs: .lists, scope: .input, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "Skip files in lists that match this pattern",
      detail: "Skip the files in lists whose names match *GLOB*, even if `--include` matches them.",
      example: "swiftget -i urls.txt --exclude '*-src.*'",
      group: .input),
    OptionSpec(
      id: .stripComponents, long: "strip-components", argument: .required("N"),
      effect: .value(\.naming.strippedComponentCount) { try $0.count(in: 0...1000) }, verbs: .lists, scope: .input,
      summary: "Remove N leading directories from names in lists",
      detail: "Remove the first *N* directories from each name in a list. The last component is always kept.",
      example: "swiftget -i release.meta4 --strip-components 1",
      group: .input, defaultText: "0"),
    OptionSpec(
      id: .basename, long: "basename",
      effect: .flag(\.naming.takesBaseNames), verbs: .lists, scope: .input, needs: [.list],
      summary: "Use names in checksum lists without their directories",
      detail: """
        Use only the last component of each name in a list without URLs, both for the URL below `--base-url` and for \
        the file. Use it for lists that were made in directories that the server does not have, such as \
        `/build/out/a.iso`.
        """,
      example: "swiftget -i SHA256SUMS --base-url https://example.org/isos/ --basename",
      group: .input),
    OptionSpec(
      id: .glob, long: "glob",
      effect: .flag(\.lists.expandsGlobs), verbs: .lists, scope: .input,
      summary: "Expand {a,b} and [1-9] in URLs",
      detail: """
        Expand patterns in the URLs of the command line: `{a,b}` are alternatives; `[1-9]`, `[001-100]`, \
        `[0-100:10]` (with a step) and `[a-f]` are ranges. A backslash before one of `{}[],` keeps the character. \
        Quote such URLs, or the shell may expand them.
        """,
      example: "swiftget --glob 'https://example.org/part-[01-03].bin'",
      group: .input),
    OptionSpec(
      id: .nameFrom, long: "name-from", argument: .required("SOURCE"),
      values: .oneOf(["url", "last-url", "answer"]),
      effect: .value(\.settings.target.nameSource) { try $0.choice() }, verbs: .downloads.union([.queue]),
      scope: .input,
      summary: "Name files by url, last-url or answer",
      detail: """
        Name files by the given URL (`url`, the default), by the URL after redirects (`last-url`), or by the \
        Content-Disposition field of the answer (`answer`), unless `--output` or a list names them. Only the last \
        path component of a name from the server counts; control characters and leading dots become `_`. An existing \
        file of this name is replaced only if an earlier run downloaded it from this URL, or with `--if-exists \
        replace`. A second file of the run with the same name fails.
        """,
      example: "swiftget --name-from last-url https://example.org/latest",
      group: .input, defaultText: "url"),
    OptionSpec(
      id: .contentDisposition, long: "content-disposition",
      effect: .flag(\.settings.target.nameSource, .answer), verbs: .downloads.union([.queue]), scope: .input,
      example: "swiftget --content-disposition 'https://example.org/get?id=7'",
      group: .input, isHidden: true),
    OptionSpec(
      id: .forceDirectories, long: "force-directories",
      effect: .flag(\.naming.makesDirectories), verbs: .lists, scope: .input,
      example: "swiftget --force-directories https://example.org/isos/a.iso",
      group: .input, isHidden: true),
    OptionSpec(
      id: .noHostDirectories, long: "no-host-directories",
      effect: .flag(\.naming.makesHostDirectory, false), verbs: .lists, scope: .input,
      example: "swiftget --force-directories --no-host-directories -i urls.txt",
      group: .input, isHidden: true),
    OptionSpec(
      id: .cutDirs, long: "cut-dirs", argument: .required("N"),
      effect: .value(\.naming.cutDirectoryCount) { try $0.count(in: 0...1000) }, verbs: .lists, scope: .input,
      example: "swiftget --force-directories --cut-dirs 1 https://example.org/isos/a.iso",
      group: .input, defaultText: "0", isHidden: true),
    OptionSpec(
      id: .outputTemplate, long: "output-template", argument: .required("TEMPLATE"),
      effect: .value(\.naming.template) { try $0.outputTemplate() },
      verbs: .lists, scope: .input,
      excludes: [.output, .nameFrom, .contentDisposition, .forceDirectories, .stripComponents],
      summary: "Name all files: '{host}/{path}/{name}'",
      detail: """
        Name every file by *TEMPLATE*, below the directory of `--dir`. `{host}` and `{path}` are the host and the \
        directories of the URL; `{name}` is the last component of the name in the list, or of the URL; `{stem}` and \
        `{ext}` are its parts before and after the last dot; `{url-md5}` is the MD5 digest of the URL; `{n}` is the \
        number of the file in the run. Any other word is a column of a table or a value of a JSON record, as in \
        `{id}/{filename}`. Empty directories are left out. Names with `..` are refused.
        """,
      example: "swiftget -i urls.txt --output-template '{host}/{n}-{name}'",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .allowAbsolute, long: "allow-absolute",
      effect: .flag(\.naming.allowsAbsolute), verbs: .lists, scope: .input, isOfOneRun: true,
      summary: "Allow absolute paths in any list",
      detail: """
        Allow absolute paths (`dir=/srv`, `out=/srv/a`) in every list. By default they are allowed only in lists \
        that are regular files and belong to you or root. Outside of the directory of `--dir` a file is replaced \
        only if an earlier run downloaded it and it is unchanged.
        """,
      example: "swiftget --allow-absolute -i urls.txt",
      group: .input),
  ]
}

extension OptionID {
  /// The long name with its dashes.
  package var name: String { "--" + OptionTable.spec(self).long }
}
