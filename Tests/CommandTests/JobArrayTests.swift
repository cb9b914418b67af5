import DownloadCore
import Testing

@testable import CommandOptions
@testable import DownloadLists

@Suite struct `A job array` {
  private typealias Variables = [String: String]

  /// What Slurm 22.05 sets in a task of an array.
  private static func slurm(_ id: Int, _ min: Int, _ max: Int, step: Int = 1, count: Int) -> Variables {
    [
      "SLURM_ARRAY_JOB_ID": "4", "SLURM_ARRAY_TASK_ID": "\(id)", "SLURM_ARRAY_TASK_MIN": "\(min)",
      "SLURM_ARRAY_TASK_MAX": "\(max)", "SLURM_ARRAY_TASK_STEP": "\(step)", "SLURM_ARRAY_TASK_COUNT": "\(count)",
    ]
  }

  private static func gridEngine(_ id: String, _ first: String, _ last: String, _ step: String) -> Variables {
    ["SGE_TASK_ID": id, "SGE_TASK_FIRST": first, "SGE_TASK_LAST": last, "SGE_TASK_STEPSIZE": step]
  }

  private func shard(_ variables: Variables, count: Int64? = nil) throws(JobArray.Fault) -> String {
    try JobArray.shard(count: count, Environment(variables)).text
  }

  @Test func `tells the shard by the place of its index`() throws {
    // --array=1-3, 0-9:3, 4, 2-5%2
    #expect(try shard(Self.slurm(1, 1, 3, count: 3)) == "1/3")
    #expect(try shard(Self.slurm(3, 1, 3, count: 3)) == "3/3")
    #expect(try (0...3).map { try shard(Self.slurm($0 * 3, 0, 9, step: 3, count: 4)) } == ["1/4", "2/4", "3/4", "4/4"])
    #expect(try shard(Self.slurm(4, 4, 4, count: 1)) == "1/1")
    #expect(try shard(Self.slurm(3, 2, 5, count: 4)) == "2/4")
    #expect(try shard(Self.slurm(3, 2, 5, count: 4), count: 4) == "2/4")
    #expect(try shard(Self.gridEngine("5", "3", "9", "2")) == "2/4")
  }

  @Test func `without a number of tasks gives the index`() throws {
    #expect(try shard(["JOB_COMPLETION_INDEX": "0"], count: 3) == "1/3")
    #expect(try shard(["JOB_COMPLETION_INDEX": "2"], count: 3) == "3/3")
    #expect(try shard(["PARALLEL_SEQ": "2"], count: 3) == "2/3")
    #expect(try shard(["PBS_ARRAY_INDEX": "3", "PBS_ARRAYID": "3"], count: 3) == "3/3")
    #expect(try shard(["PARALLEL_SEQ": "2", "SGE_TASK_ID": "undefined"], count: 3) == "2/3")
    #expect(try shard(Self.slurm(2, 1, 3, count: 3).merging(["PARALLEL_SEQ": "2"]) { $1 }) == "2/3")
  }

  @Test func `that leaves the shard open is refused`() throws {
    let cases: [(Variables, Int64?, JobArray.Fault)] = [
      ([:], nil, .noVariable), ([:], 4, .noVariable), (["SLURM_ARRAY_TASK_ID": ""], 4, .noVariable),
      (Self.gridEngine("undefined", "undefined", "undefined", "undefined"), 4, .noVariable),
      (["PARALLEL_SEQ": "1"], nil, .indexOnly("PARALLEL_SEQ")),
      (["SLURM_ARRAY_TASK_ID": "1"], nil, .missing("SLURM_ARRAY_TASK_MIN", beside: "SLURM_ARRAY_TASK_ID")),
      (["PBS_ARRAYID": "1-2"], 4, .notANumber("PBS_ARRAYID", Array("1-2".utf8))),
      (["PARALLEL_SEQ": "9223372036854775807"], 4, .notANumber("PARALLEL_SEQ", Array("9223372036854775807".utf8))),
      // --array=1,5,9: Slurm says that the step is 1.
      (Self.slurm(5, 1, 9, count: 3), nil, .uneven("SLURM_ARRAY_TASK_ID")),
      (Self.slurm(3, 0, 9, step: 2, count: 5), nil, .uneven("SLURM_ARRAY_TASK_ID")),
      (Self.slurm(4, 0, 9, step: 2, count: 5), nil, .uneven("SLURM_ARRAY_TASK_ID")),
      (Self.gridEngine("1", "1", "4", "0"), nil, .uneven("SGE_TASK_ID")),
      (Self.gridEngine("5", "1", "4", "1"), nil, .uneven("SGE_TASK_ID")),
      (Self.gridEngine("1", "2", "4", "1"), nil, .uneven("SGE_TASK_ID")),
      (["PARALLEL_SEQ": "5"], 4, .outOfRange("PARALLEL_SEQ", 5, count: 4)),
      (["PBS_ARRAY_INDEX": "0"], 4, .outOfRange("PBS_ARRAY_INDEX", 0, count: 4)),
      (["JOB_COMPLETION_INDEX": "4"], 4, .outOfRange("JOB_COMPLETION_INDEX", 5, count: 4)),
      (Self.slurm(1, 1, 3, count: 3), 4, .otherCount("SLURM_ARRAY_TASK_ID", 3, expected: 4)),
      (
        Self.slurm(1, 1, 3, count: 3).merging(Self.gridEngine("1", "1", "2", "1")) { $1 }, nil,
        .otherCount("SGE_TASK_ID", 2, expected: 3)
      ),
      (
        Self.slurm(1, 1, 3, count: 3).merging(["PARALLEL_SEQ": "2"]) { $1 }, nil,
        .contradiction("SLURM_ARRAY_TASK_ID", 1, "PARALLEL_SEQ", 2)
      ),
      (
        ["JOB_COMPLETION_INDEX": "1", "PARALLEL_SEQ": "1"], 4,
        .contradiction("JOB_COMPLETION_INDEX", 2, "PARALLEL_SEQ", 1)
      ),
    ]
    for (variables, count, fault) in cases {
      #expect(throws: fault, "\(variables)") { try JobArray.shard(count: count, Environment(variables)) }
    }
  }
}
