/// A list with signatures that minisign 0.11 and signify 31 have made, and the public keys.
package enum SignatureSamples {
  /// The SHA-256 digests of files with the contents `content of a` and `content of b`.
  package static let list = """
    8e56b639882ef91f67c597965dfb451cbd2e4b41d1a8cd9b01dd3241aa518796  a
    5de76c5ae436d8e19ed10e855a11288f8378fb22a26cd1cd9224bc1c9ac59d27  b

    """

  /// minisign -G -W, minisign -S.
  package enum Minisign {
    package static let key = """
      untrusted comment: minisign public key A7FF799DBCDAF89E
      RWSe+Nq8nXn/p83eA++HBwuLXvRzSdkAD/Wq8PyDPAzv6HOK11/Nexn7

      """
    package static let keyLine = "RWSe+Nq8nXn/p83eA++HBwuLXvRzSdkAD/Wq8PyDPAzv6HOK11/Nexn7"
    package static let identifier = "A7FF799DBCDAF89E"
    /// Not the key of any signature.
    package static let otherKeyLine = "RWT2r+PlPafiVh/hdJERYksF8bx7EJWAd3sPQsoMuk9LmSdhLc8ZjhS9"
    package static let otherIdentifier = "56E2A73DE5E3AFF6"
    package static let comment = "timestamp:1700000000 file:SHA256SUMS"
    package static let signature = """
      untrusted comment: signature of the tests
      RUSe+Nq8nXn/py89SLZKTxQ0s/v2o10vFx3w+22idCk0fLZg4t0QJJcXcJy7aqjIHy1iUmdpDS3l8c6i/oecbhK1lkNHdjyAeQc=
      trusted comment: timestamp:1700000000 file:SHA256SUMS
      mbrnoWWg1C+McLD6aZqq+m+UhyvH0MVklJjRGZYeSbE51+9pSBcurWmTjhwsQJTsj/LXqH8Ztcyw1ULp0x3hDA==

      """
    /// minisign -S -l: of the list itself, not of its digest.
    package static let legacySignature = """
      untrusted comment: signature from minisign secret key
      RWSe+Nq8nXn/p+U3aQ+XIS5IL+rdcCrGhrqpqh7UQbdoOyvuTAVJ3WVm6RD3gXtAnku/YoLlfDCsVi6m92/fgx3AlUbwMNqtowI=
      trusted comment: timestamp:1700000000 file:SHA256SUMS legacy
      9IGVEpwSUxwvim5HNcf3mWauxXCtSTLx8zTPlVUOGQEbamlTJNhTg7HQ/ny1U0ommyzOIF6Z1DnhTsF9VE+YBw==

      """
    /// Of an empty file.
    package static let signatureOfNothing = """
      untrusted comment: signature from minisign secret key
      RUSe+Nq8nXn/p/CAeKsg7CDXCwjS+QFKKT0dnCPtVEgqn3X8P5HxuoTELXROsAT+5Yy5c7mp1BEg7vDJSsdS9aw7NXwj1nplVwM=
      trusted comment: x
      l/bM9Zs44rHHhlVFzzaoEBZ0dmoXW+vTPOb6ttao8z+hJRzul1/OYpDTEPXzNpymARGfFtJmDmdp3Tz+QEoHBw==

      """
  }

  /// signify -G -n, signify -S.
  package enum Signify {
    package static let key = """
      untrusted comment: one public key
      RWR+EB4DE9T1J+rVD+lvwtv0eUANuNObwdm8DkXsspW0A7bPt9rzHTZl

      """
    package static let keyLine = "RWR+EB4DE9T1J+rVD+lvwtv0eUANuNObwdm8DkXsspW0A7bPt9rzHTZl"
    package static let identifier = "27F5D413031E107E"
    package static let signature = """
      untrusted comment: verify with signify-one.pub
      RWR+EB4DE9T1J38fd7hhfKl3bHZeo3fBGMF8g814QCJudL7WL8GXDl7GTXIbBMHN1HtZhQxZQcnEb5HaXeS3EoLtDFeCez2lZws=

      """
    /// Of an empty file.
    package static let signatureOfNothing = """
      untrusted comment: verify with signify-one.pub
      RWR+EB4DE9T1JyqBhy1N+DfHmRIjBKtBXjVuQg4sSAlco1svotcxejqfnfu5k83luDtGTk9Sk9/1Z7NqnZ1sIhhGby1dP30xHQM=

      """
    /// signify -S -e: the list behind its signature.
    package static let signedList = signature + list
  }
}
