extension OptionTable {
  static let signatureOptions: [OptionSpec] = [
    OptionSpec(
      id: .verifySignature, long: "verify-signature", argument: .required("KEY"), values: .files,
      effect: .append(\.lists.signatures.keys) { try $0.path() },
      verbs: .lists, scope: .input, repeats: true, needs: [.list], isOfOneRun: true,
      summary: "Use a list only if this public key has signed it",
      detail: """
        Use lists only if each has a signature by this public key; otherwise nothing is started and the exit status \
        is 2. *KEY* is a public key file of minisign or signify, the 56 characters in it that begin with `RW`, or an \
        OpenPGP keyring (which needs the program `gpgv`). If the option is given several times, one of the keys \
        suffices. See SIGNED LISTS in `swiftget-manifest`(5).
        """,
      example: """
        swiftget -i SHA256SUMS --base-url https://example.org/isos/ \\
            --verify-signature minisign.pub
        """,
      group: .input),
    OptionSpec(
      id: .signature, long: "signature", argument: .required("FILE"), values: .files,
      effect: .value(\.lists.signatures.signature) { try $0.nonEmpty() },
      verbs: .lists, scope: .input, needs: [.option(.verifySignature), .oneList], isOfOneRun: true,
      summary: "The signature of the list, if it is elsewhere",
      detail: """
        Read the signature of the one list from *FILE* or a URL. By default it is in the list itself, or next to it \
        with the ending `.minisig`, `.asc`, `.gpg`, `.sig` or `.sign`.
        """,
      example: """
        swiftget -i SHA256SUMS --base-url https://example.org/isos/ \\
            --verify-signature minisign.pub --signature sums.minisig
        """,
      group: .input),
  ]
}
