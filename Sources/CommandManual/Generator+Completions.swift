internal import CommandControl
internal import CommandOptions

extension Generator {
  /// The names that take flags back.
  private static var negations: [(name: String, summary: String)] {
    OptionTable.negations.filter { !$0.value.isHidden }.sorted { $0.key < $1.key }.map {
      ($0.key, "Take back --\($0.value.long)")
    }
  }

  private static var verbs: String { (VerbSpec.all.map(\.name) + ["ctl"]).joined(separator: " ") }

  private static var controlVerbs: String { ControlVerb.all.map(\.name.rawValue).joined(separator: " ") }

  /// Those whose operands are selectors of tasks.
  private static var selectingVerbs: String {
    ControlVerb.all.filter { $0.operands.areSelectors && $0.operands != .groupAndValues }.map(\.name.rawValue)
      .joined(separator: " ")
  }

  private static func spellings(_ options: [ControlOption]) -> String {
    options.flatMap { [$0.short, $0.name].compactMap(\.self) }.joined(separator: " ")
  }

  /// `swiftget ctl` has words of its own. Sessions and selectors are asked of the program, which starts none for that.
  private static var bashControl: String {
    let cases = ControlVerb.all.map { verb in
      "    \(verb.name.rawValue)) options='\(spellings(verb.options))' ;;\n"
    }
    return """
      _swiftget_ctl() {
        local word verb= previous= session=() options= whole=${COMP_LINE:0:COMP_POINT}
        for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
          case $previous in
            -S|--session|--session-dir) session+=("$previous" "$word") ;;
            *) [[ $word == -* || -n $verb ]] || verb=$word ;;
          esac
          previous=$word
        done
        case $prev in
          -S|--session)
            COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" ctl "${session[@]}" sessions --names 2>/dev/null)" -- "$cur"))
            return ;;
          --session-dir) _swiftget_paths -d; return ;;
        esac
        case $verb in
      \(cases.joined())  esac
        if [[ $cur == -* ]]; then
          COMPREPLY=($(compgen -W "$options \(spellings(ControlOption.common))" -- "$cur"))
        elif [[ -z $verb ]]; then
          COMPREPLY=($(compgen -W '\(controlVerbs)' -- "$cur"))
        elif [[ ' \(selectingVerbs) ' == *" $verb "* ]]; then
          compopt -o nosort 2>/dev/null
          whole=${whole##* }
          COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" ctl "${session[@]}" list --selectors 2>/dev/null)" -- "$whole"))
          # Readline breaks words at colons.
          if [[ $whole == *:* && $COMP_WORDBREAKS == *:* ]]; then
            COMPREPLY=("${COMPREPLY[@]#"${whole%"${whole##*:}"}"}")
          fi
        fi
      }


      """
  }

  static var bashCompletion: String {
    let words =
      OptionTable.shown.flatMap(\.spellings) + negations.map { "--\($0.name)" }
    var cases = ""
    for spec in OptionTable.shown {
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

      \(bashControl)_swiftget() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
        COMPREPLY=()
        if [[ ${COMP_WORDS[1]} == ctl ]] && ((COMP_CWORD > 1)); then
          _swiftget_ctl
          return
        fi
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
    let specs = OptionTable.shown.flatMap(zshSpecs) + negations.map { "'--\($0.name)[\($0.summary)]'" }
    return """
      #compdef swiftget
      # zsh completion for swiftget; written by swiftget --generate zsh.

      if [[ ${words[2]} == ctl ]] && ((CURRENT > 2)); then
        local -a session
        local position
        for ((position = 3; position < CURRENT; position++)); do
          [[ ${words[position]} == (-S|--session|--session-dir) ]] && session+=("${(@)words[position,position+1]}")
        done
        _arguments -s -S \\
      \(zshControl)    '2:verb:(\(controlVerbs))' \\
          '*:selector:{compadd -V selectors -- $(swiftget ctl $session list --selectors 2>/dev/null)}'
        return
      fi

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

  /// The options of all verbs of `ctl`, each once.
  private static var controlOptions: [ControlOption] {
    var options: [ControlOption] = []
    for option in ControlOption.common + ControlVerb.all.flatMap(\.options)
    where !options.contains(where: { $0.name == option.name }) {
      options.append(option)
    }
    return options
  }

  private static var zshControl: String {
    controlOptions.flatMap { option in
      [option.short, option.name].compactMap(\.self).map { spelling in
        let summary = zshQuoted(option.summary)
        let action = option == .session ? "{compadd -- $(swiftget ctl sessions --names 2>/dev/null)}" : " "
        switch option.argument {
        case .nothing: return "    '\(spelling)[\(summary)]' \\\n"
        case .required(let name):
          return "    '\(spelling)\(spelling == option.name ? "=" : "+")[\(summary)]:\(zshQuoted(name)):\(action)' \\\n"
        case .optional(let name): return "    '\(spelling)=-[\(summary)]::\(zshQuoted(name)): ' \\\n"
        }
      }
    }.joined()
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

  private static var fishControl: String {
    let inControl = "'__fish_seen_subcommand_from ctl'"
    let needsVerb = "'__fish_seen_subcommand_from ctl; and not __fish_seen_subcommand_from \(controlVerbs)'"
    let verbs = "complete -c swiftget -n \(needsVerb) -a '\(controlVerbs)'"
    let selectors = "(swiftget ctl (__swiftget_session) list --selectors 2>/dev/null)"
    let needsSelector = "'__fish_seen_subcommand_from ctl; and __fish_seen_subcommand_from \(selectingVerbs)'"
    let options = controlOptions.map { option in
      var words = ["complete -c swiftget -n \(inControl)"]
      if let short = option.short { words.append("-s \(short.dropFirst())") }
      words.append("-l \(option.name.dropFirst(2))")
      if case .required = option.argument {
        words.append(option == .session ? "-x -a '(swiftget ctl sessions --names 2>/dev/null)'" : "-x")
      }
      let summary = option.summary.map { $0 == "'" ? "\\'" : String($0) }.joined()
      return (words + ["-d '\(summary)'"]).joined(separator: " ")
    }
    return ([verbs, "complete -c swiftget -k -n \(needsSelector) -a '\(selectors)'"] + options).joined(separator: "\n")
  }

  static var fishCompletion: String {
    let lines =
      OptionTable.shown.map { spec in
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

      # The words of the line that name the session.
      function __swiftget_session
        set -l words (commandline -opc)
        for place in (seq (count $words))
          contains -- $words[$place] -S --session --session-dir; and printf '%s\\n' $words[$place] $words[(math $place + 1)]
        end
      end

      complete -c swiftget -f
      complete -c swiftget -n __fish_use_subcommand -a '\(verbs)'
      \(fishControl)
      \(lines.joined(separator: "\n"))

      """
  }
}
