import DownloadCore

/// Options of curl, wget and aria2 that are not ours: accepted where they mean the same, otherwise refused with a hint.
enum ForeignOptions {
  /// For getopt: `-nc` is `n` with the argument `c`, never a bundle.
  static let shortOptions = "n::OLfZ"

  enum Effect: Equatable {
    case keepsExisting
    case plainLines
    case nothing
  }

  static func effect(of character: Character, argument: [UInt8]?) throws(DownloadError) -> Effect {
    let argument = argument.map { String(decoding: $0, as: UTF8.self) }
    switch (character, argument) {
    case ("L", _), ("f", _), ("Z", _), ("n", "d"): return .nothing
    case ("n", "c"): return .keepsExisting
    case ("n", "v"): return .plainLines
    case ("O", _):
      throw DownloadError(
        .usage, "option '-O' means different things to curl and wget, and nothing here",
        hint: "-o FILE names the file; without it the name is the last part of the URL")
    default:
      throw DownloadError(
        .usage, "unknown option '-\(character)\(argument?.prefix(1) ?? "")'",
        hint: "of wget's -n options -nc, -nd and -nv are understood")
    }
  }

  static func hint(forShort character: Character) -> String? {
    switch character {
    case "s": "-q prints failures only; -x N sets the connections for one file"
    case "S": "failures are always shown"
    case "C": "going on from a part file is the default"
    case "R": "the server's modification time is kept by default"
    case "A": "-U TEXT sets the user agent"
    case "e": "--referer URL sets the referer"
    case "E": "--cert FILE presents a client certificate"
    case "m": "--max-time TIME limits the time for one file"
    case "r", "p": "pages are not searched for links; -i FILE downloads what a list names"
    case "b": "put & after the command to run it in the background"
    case "M": "-i FILE reads every kind of list"
    default: nil
    }
  }

  static func hint(forLong name: String) -> String? {
    switch name {
    case "location", "fail", "parallel", "remote-time", "remote-name", "remote-name-all", "create-dirs":
      "swiftget always does so"
    case "output-document": "-o FILE names the file"
    case "directory-prefix", "output-dir": "-d DIR chooses the directory"
    case "no-clobber": "--if-exists keep does that"
    case "allow-overwrite": "--if-exists replace does that"
    case "no-verbose": "--progress lines does that"
    case "silent", "show-error": "-q prints failures only"
    case "max-concurrent-downloads", "parallel-max", "max-threads": "-j N sets the files at work at once"
    case "max-connection-per-server", "num-connections": "-x N sets the connections for one file"
    case "max-overall-download-limit", "bwlimit": "--limit-rate RATE limits the whole run"
    case "max-download-limit": "--limit-rate-per-file RATE limits each file"
    case "max-tries", "retry": "-t N sets the attempts that may bring nothing"
    case "retry-delay", "retry-max-time", "waitretry": "--retry-wait TIME sets the longest pause between attempts"
    case "no-check-certificate", "check-certificate": "--insecure turns verification off"
    case "ca-certificate": "--cacert FILE names the authorities to trust"
    case "ca-directory": "--capath DIR names the authorities to trust"
    case "certificate": "--cert FILE presents a client certificate"
    case "private-key": "--key FILE names the private key"
    case "all-proxy", "http-proxy", "https-proxy": "--proxy URL names the proxy"
    case "noproxy": "it is spelled --no-proxy=LIST"
    case "http-user", "http-passwd", "http-password", "password": "-u NAME:PASSWORD logs in; --netrc is safer"
    case "recursive", "page-requisites", "mirror-site":
      "pages are not searched for links; -i FILE downloads what a list names"
    default: nil
    }
  }
}
