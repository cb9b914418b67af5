import DownloadCore

extension ManPageText {
  /// Which files of the lists a run takes.
  static let selection: [Block] = [
    .section("SHARDS"),
    .opening(
      """
      With `--shard` *I*`/`*N* several processes, on one machine or many, share the same list: each downloads the files \
      of its shard. A file belongs to the shard that its name selects, wherever it stands in the list and whatever else \
      is in it, so a list may grow. The name is that below the directory of `--dir`; a name outside of it is the whole \
      path. Where `--content-disposition` leaves the name to the server, the URL counts in its place. Its shard is the \
      number that the first eight hexadecimal digits of its SHA-256 digest make, modulo *N*, plus 1:
      """),
    .example([
      #"digits=$(printf %s "$name" | sha256sum | cut -c 1-8)"#,
      #"echo $((0x$digits % N + 1))"#,
    ]),
    .paragraph(
      """
      Every process reads and checks the whole list: a line that is wrong, or two different files with one name, are \
      refused in each shard. `--check`, `--failed` and `--lock` are about the files of the shard, so give each process \
      a file of its own for them. `-v` tells how many of the files they are.
      """),
    .paragraph(
      """
      `auto` takes *I* and *N* from the task's place in a job array: of Slurm by `SLURM_ARRAY_TASK_ID`, `_MIN`, `_MAX`, \
      `_STEP` and `_COUNT`, of Grid Engine by `SGE_TASK_ID`, `SGE_TASK_FIRST`, `SGE_TASK_LAST` and `SGE_TASK_STEPSIZE`. \
      The indices may begin at any number, but must be evenly spaced. `auto/`*N* also takes *I* from \
      `JOB_COMPLETION_INDEX` (Kubernetes, from 0), `PARALLEL_SEQ` (GNU parallel), `PBS_ARRAY_INDEX` or `PBS_ARRAYID` \
      (from 1). If none is set, or two disagree, nothing starts. To repeat single tasks of an array, give their number \
      and the number of all, such as `--shard $SLURM_ARRAY_TASK_ID/16`: an array of those tasks has another length.
      """),
    .example([
      "sbatch --array=1-16 --wrap 'swiftget --shard auto -i urls.txt -d /data'",
      "parallel -n0 swiftget --shard auto/4 -i urls.txt -d data ::: 1 2 3 4",
    ]),
    .section("TRYING A RUN"),
    .opening(
      """
      `--dry-run` decides about each file as a download would, but asks no server and changes nothing on this machine. \
      Lists from URLs are refused. The other options of a download may stay, so that its command line can be tried: \
      `--report`, `--failed` and `--lock` write no file, and no hook runs. Standard output has a line for each file, in \
      the order of the lists: *NAME*`: `*ACTION*, and behind another colon the reason where there is one. *ACTION* is one of:
      """),
    .entry("`skip`", "The file is there: verified by its mark, downloaded from this URL, or kept by `--if-exists`."),
    .entry("`check`", "The file is there. It is hashed, kept if it matches its digests, and replaced otherwise."),
    .entry("`ask`", "The server's answer decides: by the length, the time or the name of the file."),
    .entry("`resume`", "An earlier run was interrupted; so much of the file is there."),
    .entry("`fetch`", "The whole file is downloaded."),
    .entry("`replace`", "The whole file is downloaded, and replaces what has its name."),
    .entry("`refuse`", "The run fails for this file before it asks a server."),
    .paragraph(
      """
      `-q` omits lines with `skip`, and the last line on standard error, which counts the actions. The status is 0 unless \
      a file is refused, which it then tells as that of a run does. Locks are not taken: a file that another run is \
      downloading is one to resume. With `--progress json` each line is an object with `event` (`plan`), `item`, `name`, \
      `url`, `action`, `reason`, `done` (bytes that are there), `length`, `source`, and `code` for a file that is refused.
      """),
    .example(["swiftget --dry-run -i SHA256SUMS --base-url https://example.org/isos/ -d isos"]),
    .section("ASKING SERVERS"),
    .opening(
      """
      `--spider` asks each URL of the lists and the command line, and each mirror, whether it serves its file, with a HEAD. \
      Where a server refuses that (with 400, 403, 405, 501 or the like), a GET is sent and its body is not read. Redirects, \
      credentials, retries and the limits of connections and requests are those of a download. Standard output has a line \
      for each URL, in the order of the answers: *URL*`: ok: ` and its length, ETag, Last-Modified and the URL that serves it \
      where that is another one; or *URL*`: dead: ` and the reason. A length that differs from that of the list is one. `-q` \
      omits the lines with `ok`. Nothing is written but the log of `--log`, which has the dead URLs, and with `-v` all. The status is that of a download whose files fail for these reasons.
      """),
    .paragraph(
      """
      With `--progress json` each line is an object with `event` (`url`), `item` (of the URLs, from 0), `name`, `url`, \
      `http-status`, `result` (`ok`, `dead`), `length`, `etag`, `last-modified`, `served-by`, `source`, and for a dead URL \
      `code` and `reason`. With `--log-format json` the log has these objects, each with its `time`.
      """),
    .example(["swiftget --spider -q -i urls.txt"]),
  ]
}
