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
      effect: .append(\.lists.inputs) { try $0.nonEmpty() }, verbs: .lists, repeats: true, isOfOneRun: true,
      summary: "Download what a list names; '-' is standard input, or a URL",
      detail: """
        Download every file that the manifest *FILE* names; `-` reads it from standard input, and a URL downloads it \
        first: names in it then lead from that URL, and it may give no headers or credentials. May be given several \
        times. The format is detected by content, and so is compression with gzip, xz or zstd; see MANIFESTS. The \
        directory of a BagIt bag is a manifest, too.
        """,
      example: "swiftget -i urls.txt",
      group: .input, isCommon: true),
    OptionSpec(
      id: .baseURL, long: "base-url", argument: .required("URL"),
      effect: .value(\.lists.baseURL) { try $0.nonEmpty() }, verbs: .files, needs: [.list], isOfOneRun: true,
      summary: "Where the names in a list are found",
      detail: """
        Resolve relative names of the manifest against *URL*, a directory with or without a slash at its end. A \
        checksum file has names only, so it needs this; lines of a URL list may be relative references then.
        """,
      example: "swiftget -i SHA256SUMS --base-url https://example.org/isos/",
      group: .input, isCommon: true),
    OptionSpec(
      id: .inputFormat, long: "input-format", argument: .required("FORMAT"),
      values: .oneOf(ManifestFormat.allCases.map(\.rawValue)),
      effect: .value(\.lists.inputFormat) { try $0.choice() }, verbs: .lists, needs: [.list], isOfOneRun: true,
      summary: "Format of the lists, which is detected otherwise",
      detail: """
        Do not guess the manifest's format, but read it as one of: \
        \(ManifestFormat.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")).
        """,
      example: "swiftget -i urls.txt --input-format urls",
      group: .input),
    OptionSpec(
      id: .columns, long: "columns", argument: .required("COLUMNS"),
      effect: .value(\.lists.columns.choice) { try $0.columns() }, verbs: .lists, needs: [.list], isOfOneRun: true,
      summary: "Columns of a table: url=NAME,md5=NAME,out=NAME",
      detail: """
        Take URLs, names, sizes and digests from these columns of a table, or these values of JSON records. *COLUMNS* \
        are entries `url=`*COLUMN*, `mirror=`*COLUMN*, `out=`*COLUMN*, `size=`*COLUMN* or *ALGO*`=`*COLUMN*, with \
        commas between them; `mirror=` may be given several times. `checksum=`*COLUMN* has digests that name their \
        algorithms, or have them in `algorithm=`*COLUMN*. *COLUMN* is a name of the header, a number counted from 1, or \
        a path in JSON such as `download.url`; `packages.*` leads to each value of an object, `{key}` is its key, and \
        `links[].url` leads to several values of one record. Any other entry, such as `type=file`, is a condition: what \
        does not fulfil it is passed over (`type=*`: has any, `type=`: has none). `url=`*COLUMN*`?` passes over what has \
        no URL, and with `size=`*COLUMN*`?` a size of 0 is unknown. Without this option the names in the header decide.
        """,
      example: "swiftget -i samples.csv --columns url=link,md5=sum,out=file",
      group: .input),
    OptionSpec(
      id: .urlTemplate, long: "url-template", argument: .required("TEMPLATE"),
      effect: .value(\.lists.columns.template) { try $0.urlTemplate() }, verbs: .lists, needs: [.list],
      isOfOneRun: true,
      summary: "URL of a row: https://example.org/data/{id}",
      detail: """
        Make the URL of each row of a table, or of each JSON record, by this *TEMPLATE*: a URL with columns in braces, \
        such as `https://api.gdc.cancer.gov/data/{id}`. A value is escaped as one segment of a path; \
        `{+path}` keeps its slashes.
        """,
      example: "swiftget -i samples.csv --url-template 'https://example.org/data/{id}'",
      group: .input),
    OptionSpec(
      id: .urlScheme, long: "url-scheme", argument: .required("SCHEME"), values: .oneOf(["https", "http"]),
      effect: .value(\.lists.columns.scheme) { try $0.choice() }, verbs: .lists, needs: [.list], isOfOneRun: true,
      summary: "Scheme of URLs in lists that have none, or ftp",
      detail: """
        Put `https` or `http` and `://` before URLs of tables and JSON records that have no scheme, and take it for \
        `ftp://` in any list. By default only reports of the European Nucleotide Archive get `https`.
        """,
      example: "swiftget -i runs.tsv --url-scheme https",
      group: .input),
    OptionSpec(
      id: .metalinkLanguage, long: "metalink-language", argument: .required("LIST"),
      effect: .value(\.lists.metalink.languages) { try $0.words() }, verbs: .lists,
      summary: "Of a Metalink, only files in these languages",
      detail: """
        Of a Metalink document, download files in one of the languages of *LIST* only (tags such as `en` or `pt-BR`, \
        separated by commas), and those that name none. `en` includes `en-GB`.
        """,
      example: "swiftget -i release.meta4 --metalink-language de,en",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .metalinkOS, long: "metalink-os", argument: .required("LIST"),
      effect: .value(\.lists.metalink.systems) { try $0.words() }, verbs: .lists,
      summary: "Of a Metalink, only files for these systems",
      detail: """
        Of a Metalink document, download files for one of the operating systems of *LIST* only (such as `Linux`, \
        separated by commas), and those that name none.
        """,
      example: "swiftget -i release.meta4 --metalink-os Linux",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .metalinkLocation, long: "metalink-location", argument: .required("LIST"),
      effect: .value(\.lists.metalink.locations) { try $0.words() }, verbs: .lists,
      summary: "Prefer mirrors in these countries",
      detail: """
        Prefer the mirrors of a Metalink document, or those that a server names, that are in the countries of *LIST*, \
        two-letter codes separated by commas, the preferred one first. Among the mirrors of a country the given \
        priority decides.
        """,
      example: "swiftget -i release.meta4 --metalink-location de,at",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .dir, long: "dir", short: "d", shortAliases: ["P"], argument: .required("DIR"), values: .directories,
      effect: OptionEffect { $0.invocation.naming.directory = try $1.path() }, verbs: .lists,
      summary: "Put files into this directory",
      detail: "Put the files into *DIR*, which is made where it is missing, instead of the working directory.",
      example: "swiftget -d isos https://example.org/a.iso",
      group: .input, defaultText: ".", isCommon: true),
    OptionSpec(
      id: .output, long: "output", aliases: ["out"], short: "o", argument: .required("FILE"), values: .files,
      effect: .value(\.naming.output) { try $0.outputPath() }, verbs: .files, needs: [.oneURL], isOfOneRun: true,
      summary: "Name of the one file; '-' is standard output",
      detail: """
        Name the file of the one URL given; a relative name is taken from the directory of `--dir`. With `-`, a pipe \
        or a device the bytes are streamed in order, and so with `/dev/stdout`, `/dev/stderr` or `/dev/fd/`*N*, which \
        mean the open descriptor itself. Without this option a file is named by the last segment of its \
        URL's path.
        """,
      example: "swiftget -o debian.iso https://example.org/a.iso",
      group: .input, isCommon: true),
    OptionSpec(
      id: .checksum, long: "checksum", argument: .required("ALGO:HEX"),
      effect: OptionEffect { try $0.add(checksum: $1) },
      verbs: .lists, repeats: true, needs: [.oneURL], isOfOneRun: true,
      summary: "Digest that the one file must have",
      detail: """
        Take the file of the one URL given only if its digest is this one. *ALGO* is `md5`, `sha1`, `sha224`, \
        `sha256`, `sha384`, `sha512`, `sha3-224`, `sha3-256`, `sha3-384`, `sha3-512`, `blake2b` or `blake2s`; \
        `sha-256=`*HEX*, base64 in place of *HEX*, and `sha256-`*BASE64* are understood too. Digests behind the `#` of a URL count as well; see MANIFESTS. Several must \
        all fit, and two different ones of one algorithm are refused.
        """,
      example: "swiftget --checksum sha256:HEX https://example.org/a.iso",
      group: .input, isCommon: true),
    OptionSpec(
      id: .mirror, long: "mirror", argument: .required("URL"),
      effect: .append(\.lists.mirrors) { try $0.nonEmpty() },
      verbs: .lists, repeats: true, needs: [.oneURL], isOfOneRun: true,
      summary: "One more URL of the same file",
      detail: """
        *URL* is one more source of the same file. Mirrors are used at the same time if a checksum verifies the \
        result, or if their lengths and strong entity tags (ETag) are equal. Otherwise one supplies the whole file, and \
        the others replace it, from zero, if it fails. May be given several times.
        """,
      example: "swiftget --mirror https://mirror.example.net/a.iso https://example.org/a.iso",
      group: .input),
    OptionSpec(
      id: .include, long: "include", argument: .required("GLOB"),
      effect: .append(\.lists.filter.included) { try $0.nonEmpty() },
      verbs: .lists, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "Only files of lists whose names match",
      detail: """
        Of the files that lists name, download only those whose names match *GLOB*, or one of several. A pattern without \
        a slash is compared with the last component of the name; one with a slash is compared with the whole name, \
        where only two asterisks go beyond a slash; `**/` stands for any number of directories, or none. The name is the one that the list gives, before \
        `--strip-components` and `--output-template`.
        """,
      example: "swiftget -i urls.txt --include '*.iso'",
      group: .input),
    OptionSpec(
      id: .exclude, long: "exclude", argument: .required("GLOB"),
      effect: .append(\.lists.filter.excluded) { try $0.nonEmpty() },
      verbs: .lists, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "No files of lists whose names match",
      detail: "Leave out the files of lists whose names match *GLOB*, also those that `--include` names.",
      example: "swiftget -i urls.txt --exclude '*-src.*'",
      group: .input),
    OptionSpec(
      id: .stripComponents, long: "strip-components", argument: .required("N"),
      effect: .value(\.naming.strippedComponentCount) { try $0.count(in: 0...1000) }, verbs: .lists,
      summary: "Drop N leading directories of names in lists",
      detail: "Leave out the first *N* directories of each name that a list gives. The last component always stays.",
      example: "swiftget -i release.meta4 --strip-components 1",
      group: .input, defaultText: "0"),
    OptionSpec(
      id: .basename, long: "basename",
      effect: .flag(\.naming.takesBaseNames), verbs: .lists, needs: [.list],
      summary: "Names in checksum lists without their directories",
      detail: """
        Take only the last component of each name that a list without URLs gives, for the URL below `--base-url` and for the \
        file: for lists that were made in directories which the server does not have, such as `/build/out/a.iso`.
        """,
      example: "swiftget -i SHA256SUMS --base-url https://example.org/isos/ --basename",
      group: .input),
    OptionSpec(
      id: .glob, long: "glob",
      effect: .flag(\.lists.expandsGlobs), verbs: .lists,
      summary: "Expand {a,b} and [1-9] in URLs",
      detail: """
        Download all URLs that a URL of the command line stands for: `{a,b}` are alternatives, `[1-9]`, `[001-100]`, \
        `[0-100:10]` and `[a-f]` are ranges, the last one with a step. A backslash before one of `{}[],` keeps it as it \
        is. Quote such URLs, for a shell may expand them itself.
        """,
      example: "swiftget --glob 'https://example.org/part-[01-03].bin'",
      group: .input),
    OptionSpec(
      id: .nameFrom, long: "name-from", argument: .required("SOURCE"),
      values: .oneOf(["url", "last-url", "answer"]),
      effect: .value(\.settings.target.nameSource) { try $0.choice() }, verbs: .downloads,
      summary: "Name files by url, last-url or answer",
      detail: """
        What names a file that neither `--output` nor a list names: by default (`url`) the given URL, the URL to which \
        redirects have led (`last-url`), or the Content-Disposition field of the answer (`answer`), and the given URL \
        if there is none. Of a name from the server only the last path component counts; control characters and dots \
        at its beginning become `_`. A file that exists under this name is replaced only if an earlier run downloaded \
        it from this URL, or with `--if-exists replace`. A second file of the run that gets the same name fails.
        """,
      example: "swiftget --name-from last-url https://example.org/latest",
      group: .input, defaultText: "url"),
    OptionSpec(
      id: .contentDisposition, long: "content-disposition",
      effect: .flag(\.settings.target.nameSource, .answer), verbs: .downloads,
      example: "swiftget --content-disposition 'https://example.org/get?id=7'",
      group: .input, isHidden: true),
    OptionSpec(
      id: .forceDirectories, long: "force-directories",
      effect: .flag(\.naming.makesDirectories), verbs: .lists,
      example: "swiftget --force-directories https://example.org/isos/a.iso",
      group: .input, isHidden: true),
    OptionSpec(
      id: .noHostDirectories, long: "no-host-directories",
      effect: .flag(\.naming.makesHostDirectory, false), verbs: .lists,
      example: "swiftget --force-directories --no-host-directories -i urls.txt",
      group: .input, isHidden: true),
    OptionSpec(
      id: .cutDirs, long: "cut-dirs", argument: .required("N"),
      effect: .value(\.naming.cutDirectoryCount) { try $0.count(in: 0...1000) }, verbs: .lists,
      example: "swiftget --force-directories --cut-dirs 1 https://example.org/isos/a.iso",
      group: .input, defaultText: "0", isHidden: true),
    OptionSpec(
      id: .outputTemplate, long: "output-template", argument: .required("TEMPLATE"),
      effect: .value(\.naming.template) { try $0.outputTemplate() },
      verbs: .lists, excludes: [.output, .nameFrom, .contentDisposition, .forceDirectories, .stripComponents],
      summary: "Name all files: '{host}/{path}/{name}'",
      detail: """
        Name every file by *TEMPLATE*, below the directory of `--dir`. `{host}` and `{path}` are the host and the \
        directories of its URL; `{name}` is the last component of its name in the list, else of its URL; `{stem}` and \
        `{ext}` are that name up to its last dot and behind it; `{url-md5}` is the MD5 digest of the URL, `{n}` the \
        number of the file in the run. Any other name is that of a column of a table or of a value of a JSON record, as \
        in `{id}/{filename}`. Empty directories are left out, and so is a dot before an empty `{ext}`. Names with `..` \
        are refused.
        """,
      example: "swiftget -i urls.txt --output-template '{host}/{n}-{name}'",
      group: .input, defaultText: ""),
    OptionSpec(
      id: .allowAbsolute, long: "allow-absolute",
      effect: .flag(\.naming.allowsAbsolute), verbs: .lists, isOfOneRun: true,
      summary: "Let any list name places outside of DIR",
      detail: """
        Allow absolute paths (`dir=/srv`, `out=/srv/a`) also in lists that are no regular files of yours or root's: those \
        that come through a pipe or from a URL, and files of other users. Outside of the directory of `--dir` a file is \
        replaced only if an earlier run has left it there as it is, whatever the list.
        """,
      example: "swiftget --allow-absolute -i urls.txt",
      group: .input),
  ]
}

extension OptionID {
  /// The long name with its dashes.
  var name: String { "--" + OptionTable.spec(self).long }
}
