internal import CommandOptions

extension Generator {
  /// The names that take flags back.
  private static var negations: [(name: String, summary: String)] {
    OptionTable.negations.sorted { $0.key < $1.key }.map { ($0.key, "Take back --\($0.value.long)") }
  }

  private static var verbs: String { VerbSpec.all.map(\.name).joined(separator: " ") }

  static var bashCompletion: String {
    let words =
      OptionTable.options.flatMap(\.spellings) + negations.map { "--\($0.name)" }
    var cases = ""
    for spec in OptionTable.options {
      guard case .required = spec.argument else { continue }
      let names = spec.spellings.joined(separator: "|")
      let action =
        switch spec.values {
        case .free: "return"
        case .files: "_swiftget_paths -f; return"
        case .directories: "_swiftget_paths -d; return"
        case .oneOf(let values): "COMPREPLY=($(compgen -W '\(values.joined(separator: " "))' -- \"$cur\")); return"
        }
      cases += "    \(names)) \(action) ;;\n"
    }
    return """
      # bash completion for swiftget; written by swiftget --generate bash.

      _swiftget_paths() {
        compopt -o filenames
        mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
      }

      _swiftget() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
        COMPREPLY=()
        # Readline breaks words at '=', so that --name=VALUE arrives in three.
        if [[ $cur == '=' ]]; then
          cur=
        elif [[ $prev == '=' ]]; then
          prev=${COMP_WORDS[COMP_CWORD - 2]}
        fi
        case $prev in
      \(cases)  esac
        if [[ $cur == -* ]]; then
          COMPREPLY=($(compgen -W '\(words.joined(separator: " "))' -- "$cur"))
        elif ((COMP_CWORD == 1)); then
          COMPREPLY=($(compgen -W '\(verbs)' -- "$cur"))
        fi
      }

      complete -F _swiftget swiftget

      """
  }

  static var zshCompletion: String {
    let specs = OptionTable.options.flatMap(zshSpecs) + negations.map { "'--\($0.name)[\($0.summary)]'" }
    return """
      #compdef swiftget
      # zsh completion for swiftget; written by swiftget --generate zsh.

      _arguments -s -S \\
      \(specs.map { "  \($0) \\\n" }.joined())  '1: :{_alternative "verbs:verb:(\(verbs))" "urls:URL:_urls"}' '*:URL:_urls'

      """
  }

  /// One line per spelling. An option that must not be repeated excludes its other spellings.
  private static func zshSpecs(_ spec: OptionSpec) -> [String] {
    let spellings = spec.spellings
    return spellings.map { spelling in
      let isLong = spelling.hasPrefix("--")
      let prefix = spec.repeats ? "*" : spellings.count > 1 ? "(\(spellings.joined(separator: " ")))" : ""
      let summary = zshQuoted(spec.summary)
      let action =
        switch spec.values {
        case .free: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .oneOf(let values): "(\(values.joined(separator: " ")))"
        }
      switch spec.argument {
      case .nothing: return "'\(prefix)\(spelling)[\(summary)]'"
      case .required(let name):
        return "'\(prefix)\(spelling)\(isLong ? "=" : "+")[\(summary)]:\(zshQuoted(name)):\(action)'"
      case .optional(let name): return "'\(prefix)\(spelling)=-[\(summary)]::\(zshQuoted(name)):\(action)'"
      }
    }
  }

  private static func zshQuoted(_ text: String) -> String {
    text.map { character in
      switch character {
      case "'": "'\\''"
      case "[", "]", ":", "\\": "\\\(character)"
      default: String(character)
      }
    }.joined()
  }

  static var fishCompletion: String {
    let lines =
      OptionTable.options.map { spec in
        var words = ["complete -c swiftget"]
        words += spec.shorts.map { "-s \($0)" }
        words += spec.longs.map { "-l \($0)" }
        if case .required = spec.argument {
          switch spec.values {
          case .free: words.append("-x")
          case .files: words.append("-r -F")
          case .directories: words.append("-x -a '(__fish_complete_directories)'")
          case .oneOf(let values): words.append("-x -a '\(values.joined(separator: " "))'")
          }
        }
        let summary = spec.summary.map { $0 == "'" ? "\\'" : String($0) }.joined()
        words.append("-d '\(summary)'")
        return words.joined(separator: " ")
      } + negations.map { "complete -c swiftget -l \($0.name) -d '\($0.summary)'" }
    return """
      # fish completion for swiftget; written by swiftget --generate fish.
      complete -c swiftget -f
      complete -c swiftget -n __fish_use_subcommand -a '\(verbs)'
      \(lines.joined(separator: "\n"))

      """
  }
}
