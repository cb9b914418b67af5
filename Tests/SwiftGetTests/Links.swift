import Glibc

/// Makes a symbolic link.
func symlinked(_ target: String, at path: String) -> Bool { symlink(target, path) == 0 }
