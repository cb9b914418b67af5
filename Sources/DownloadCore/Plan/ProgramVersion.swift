/// The program's version (semver.org), for `--version`, the man page and `User-Agent`.
package let programVersion = "0.1.0"
