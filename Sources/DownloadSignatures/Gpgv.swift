/// Verifies OpenPGP signatures with gpgv(1) of GnuPG, which has no other keys than the given ones and no configuration.
///
/// gpgv gets open files, whose names nobody can give to others meanwhile.
package enum Gpgv {
  /// More bytes than the status lines of any signature have.
  private static let mostStatusBytes = 1 << 20

  /// Verifies a detached signature.
  ///
  /// - Throws: why the signature vouches for nothing, or why gpgv cannot tell.
  package static func verify(_ files: GpgvFiles) throws(OpenPGPFault) -> ListSignature.OpenPGPSigner {
    try status(of: files, output: nil).signer(isDetached: true)
  }

  /// Verifies a text with its signature and returns the text as gpgv understands it.
  ///
  /// - Parameter output: gets the text. Only if the call succeeds, the text is signed. Returns false to give up.
  /// - Throws: as `verify`; `tooLong` where `output` gave up.
  package static func verifyMessage(
    _ files: GpgvFiles, output: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws(OpenPGPFault) -> ListSignature.OpenPGPSigner {
    try status(of: files, output: output).signer(isDetached: false)
  }

  private static func status(
    of files: GpgvFiles, output: ((UnsafeRawBufferPointer) -> Bool)?
  ) throws(OpenPGPFault) -> GpgvStatus {
    var lines: [UInt8] = []
    let exitStatus = try GpgvProcess(files, writesText: output != nil).run { source, bytes in
      switch source {
      case .text: return output?(bytes) ?? false
      case .status:
        lines += bytes
        return lines.count <= mostStatusBytes
      }
    }
    return GpgvStatus(lines: lines, exitStatus: exitStatus)
  }
}
