import DownloadCore

extension ManPageText {
  /// Sets of files that are published together.
  static let sets: [Block] = [
    .section("ATOMIC SETS"),
    .opening(
      """
      With `--atomic` the files of a run appear together. They are downloaded into *DIR*`.swiftget-next` beside the \
      directory *DIR* of `-d`, files in *DIR* that are right already are not, and only if all of them are there, *DIR* is \
      replaced by the new set in one step. Others see the previous set until then. A process that opens *DIR* once and \
      its files from there sees one set only, but the files of the previous one go as soon as the new one is there.
      """),
    .paragraph(
      """
      Everything else in *DIR* stays, by hard links: files that the list does not name, symbolic links, permissions and \
      attributes of directories. What others add to *DIR* or save there meanwhile stays, too. With `--prune` files go \
      that earlier runs have published there and that the list has no more; which these are stands in \
      `$XDG_CACHE_HOME/swiftget`. Where *DIR* is a symbolic link, the directory that it leads to is replaced.
      """),
    .paragraph(
      """
      If a file fails, or after a signal or `--deadline`, *DIR* is as it was before, and the same command goes on with \
      what is in *DIR*`.swiftget-next`; remove that directory to begin anew. So does a run with the list of `--failed`: \
      it names all that the set lacks, and the set is published as a whole. A list with other files makes a set of its \
      own: what is in *DIR*`.swiftget-next` and not in that list is removed, and downloaded again when it is wanted. So \
      repeat a failed run, or feed its `--failed` back, before another list or another shard is downloaded to *DIR*. A \
      part of the list that has neither all that is there nor all that is missing is refused with status 2.
      """),
    .paragraph(
      """
      *DIR*`.swiftget-next` belongs to one run at a time; another \
      one fails with status 75, or waits as long as `--lock-wait` says. A run that is killed while it replaces *DIR* \
      leaves the previous set or the new one, and the next run with `--atomic` clears up.
      """),
    .paragraph(
      """
      Hooks of files run at the end, those of `--on-complete` only if the set is published. `--changed-exit` counts a \
      published set. The run needs write access to the directory that holds *DIR*, a file system that exchanges \
      directories (ext4, XFS, Btrfs and tmpfs do, NFS does not) and has hard links, the right to link the files of \
      *DIR*, which the system may refuse for those of other users, and a working directory outside of *DIR*. *DIR* must \
      not be a mount point.
      """),
  ]
}
