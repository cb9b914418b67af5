internal import DownloadCore

/// What a person reads of a file that is no list. `LIST` in commands is that file; each makes a list of it.
enum ForeignTextMessages {
  static func message(_ text: ForeignText) -> String {
    switch text {
    case .curlConfiguration: "a configuration of curl, not a list"
    case .commands: "command lines of curl, wget or aria2, not a list"
    case .esgfScript: "a download script of ESGF, not a list"
    case .earthdataScript: "a download script of Earthdata, not a list"
    case .script: "a script, not a list"
    case .fileHash: "the output of Get-FileHash, not a list"
    case .certutil: "the output of certutil, not a list"
    case .cargoLock: "a lock file of cargo, not a list"
    case .uvLock: "a lock file of uv, not a list"
    case .goSum: "a go.sum, not a list"
    case .toml: "a TOML file, not a list"
    }
  }

  static func hint(_ text: ForeignText) -> Phrase {
    switch text {
    case .curlConfiguration:
      #"sed -n 's/^-*url[ =]*"\([^"]*\)".*/\1/p; s/^-*output[ =]*"\([^"]*\)".*/ out=\1/p' LIST | swiftget \#(.inputFile, "-")"#
    case .commands, .script, .toml: #"grep -Eo "https*:[^ \"']+" LIST | swiftget \#(.inputFile, "-")"#
    case .esgfScript:
      #"grep "^'" LIST | swiftget \#(.inputFile, "-") \#(.inputFormat, "fields") \#(.columns, "out=1,url=2,algorithm=3,checksum=4")"#
    case .earthdataScript: "grep '^https' LIST | swiftget \(.inputFile, "-"), with the login in a netrc file"
    case .fileHash:
      #"awk '{sub(/\r$/, "")} /^Hash/ {h = $3} /^Path/ {sub(/^Path *: */, ""); print h "  " $0}' LIST | "#
        + "swiftget \(.inputFile, "-") \(.basename) \(.baseURL, "URL"), for what Format-List prints in UTF-8"
    case .certutil:
      #"awk '/ hash of / {sub(/.* hash of (file )?/, ""); sub(/:[ \r]*$/, ""); n = $0; getline; gsub(/[ \r]/, ""); "#
        + #"print $0 "  " n}' LIST | swiftget \#(.inputFile, "-") \#(.basename) \#(.baseURL, "URL")"#
    case .cargoLock:
      #"awk -F'"' '/^name/ {n = $2} /^version = "/ {v = $2} /^checksum/ {print "https://static.crates.io/crates/" "#
        + #"n "/" n "-" v ".crate sha256:" $2}' LIST | swiftget \#(.inputFile, "-")"#
    case .uvLock: #"sed -n 's/.*{ url = "\([^"]*\)", hash = "\([^"]*\)".*/\1 \2/p' LIST | swiftget \#(.inputFile, "-")"#
    case .goSum: "its hashes are of unpacked modules; use: go mod download"
    }
  }
}
