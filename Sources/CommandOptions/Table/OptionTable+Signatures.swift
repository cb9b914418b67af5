extension OptionTable {
  static let signatureOptions: [OptionSpec] = [
    OptionSpec(
      id: .verifySignature, long: "verify-signature", argument: .required("KEY"), values: .files,
      effect: .append(\.lists.signatures.keys) { try $0.path() },
      verbs: .lists, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "Use lists only if this public key has signed them",
      detail: """
        Read a list of `--input-file` only if it has a signature by this public key; otherwise nothing is started and \
        the status is 2. *KEY* is the file of a public key of minisign or signify, the line of 56 characters in it \
        that begins with `RW`, or a keyring of OpenPGP, for which the program `gpgv` must be installed. May be given \
        several times: one of the keys suffices. URLs of the command line need no signature. See MANIFESTS.
        """,
      example: """
        swiftget -i SHA256SUMS --base-url https://example.org/isos/ \\
            --verify-signature minisign.pub
        """,
      group: .input),
    OptionSpec(
      id: .signature, long: "signature", argument: .required("FILE"), values: .files,
      effect: .value(\.lists.signatures.signature) { try $0.nonEmpty() },
      verbs: .lists, needs: [.option(.verifySignature), .oneList], isOfOneRun: true,
      summary: "The signature of the list, if it is not beside it",
      detail: """
        With `--verify-signature`, take the signature of the one list from *FILE*; a URL downloads it. Without this \
        option it is in the list itself, or beside the list *LIST* in *LIST*`.minisig`, `.asc`, `.gpg`, `.sig` or \
        `.sign`, also where *LIST* is a URL.
        """,
      example: """
        swiftget -i SHA256SUMS --base-url https://example.org/isos/ \\
            --verify-signature minisign.pub --signature sums.minisig
        """,
      group: .input),
  ]
}
