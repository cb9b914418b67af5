import Glibc

/// Makes a symbolic link.
func symlinked(_ target: String, at path: String) -> Bool { symlink(target, path) == 0 }

/// Removes a file.
func removed(_ path: String) -> Bool { unlink(path) == 0 }
