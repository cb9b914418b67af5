/// The program's version, as `--version`, the man page and `User-Agent` say it (semver.org).
package let programVersion = "0.1.0"
