package import DownloadCore

extension ItemHandle: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: Int) { self.init(number) }
}

extension TaskID: ExpressibleByIntegerLiteral {
  package init(integerLiteral number: UInt64) { self.init(number) }
}
