/// A setting that texts for people name. Each has an option of the command, the `OptionID` of this name.
package enum Setting: String, Sendable, CaseIterable {
  case acceptHTML, acceptStatus, allowAbsolute, allowUnconfirmed, atomic, basename, baseURL, cacert, capath, cert, check
  case checksum, columns, compressed, dir, failed, frozen, glob, httpsOnly, ifExists, inputFile, inputFormat, jobs, key
  case loadCookies, lock, lockWait, log, maxFilesize, maxRedirect, maxTime, mirror, netrc, noProxy, noResume, onComplete
  case onExit, onFailure, output, outputTemplate, proxy, report, saveCookies, shard, signature, stripComponents
  case urlScheme, urlTemplate, user, verifySignature, writeManifest
}

/// What the settings are called by the program that shows a text.
package struct Vocabulary: Sendable {
  /// A setting, alone or with a value: `--if-exists replace`.
  let name: @Sendable (Setting, _ value: String?) -> String

  package init(_ name: @escaping @Sendable (Setting, _ value: String?) -> String) { self.name = name }
}
