/// The list of `SignatureSamples` with signatures that GnuPG 2.2.40 has made, and the public keys.
///
/// All are of January 2024, unless they say otherwise.
package enum OpenPGPSamples {
  package static let fingerprint = "1008469324092F7A99834DB9CE45018A75DC526E"
  package static let user = "one@example.org"
  /// The key of most signatures.
  package static let key = """
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEZZIAgBYJKwYBBAHaRw8BAQdA+n3mBHOGuup+qaDSii3hVjhCM2iAx15dk9S8
    3q089aG0D29uZUBleGFtcGxlLm9yZ4iQBBMWCAA4FiEEEAhGkyQJL3qZg025zkUB
    inXcUm4FAmWSAIACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQzkUBinXc
    Um6kewD+JKJprARrH0flC4eCv/f8q89YOcWWRQ4UE/cBOpozy4ABAO/YiB4GeffE
    VM46wawAPZn5dxNJhMkpIeri8rCfmL8H
    =oP/q
    -----END PGP PUBLIC KEY BLOCK-----

    """
  package static let otherKey = """
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEZZIAgBYJKwYBBAHaRw8BAQdARbJwJwsPbw77NXQW4fLIb04zY/DHjbta4+/z
    +hyDfMe0EW90aGVyQGV4YW1wbGUub3JniJAEExYIADgWIQSM25q9gmR6dRhGu2eR
    WNesW+diUAUCZZIAgAIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAKCRCRWNes
    W+diUPZYAQCkuPvmyohuBfQ9n/3yIumgCxfAD+P4Aiy0yuSQUKXwlAEA+gEU7z+U
    4cMOZd5f2tVvRVLN4OOGyDDIzKqAw5SZmAk=
    =KNde
    -----END PGP PUBLIC KEY BLOCK-----

    """
  /// A key with its revocation.
  package static let revokedKey = """
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEZZIAgBYJKwYBBAHaRw8BAQdAQG5uW/M7UfJJiDhS0DX7jx374Nx+3vpfJGXM
    NBaNVXOIeAQgFggAIBYhBJukah0PUswnlc2ijJtGzK0CP95yBQJlkgCAAh0AAAoJ
    EJtGzK0CP95yFt0BAKBBvls1Mwy7zy8bfiT8W/xdAoipls3lf5CK1PLRL2cnAP9F
    IZXKPOLsyHyMNOftEpTtr965nxMO6wpW+ZDpC+/1A7QTcmV2b2tlZEBleGFtcGxl
    Lm9yZ4iQBBMWCAA4FiEEm6RqHQ9SzCeVzaKMm0bMrQI/3nIFAmWSAIACGwMFCwkI
    BwIGFQoJCAsCBBYCAwECHgECF4AACgkQm0bMrQI/3nL7ngEAmq9n4xARLJ40pLqM
    jGGnnjkHNNjRB0GdQzkxUd4/ibABAKG07jQQDWACDeiWqSnwLjZoEUaJWHzu1ksP
    ck4ywqEG
    =xrpo
    -----END PGP PUBLIC KEY BLOCK-----

    """
  /// A key that was valid in 2020.
  package static let expiredKey = """
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEXgvhABYJKwYBBAHaRw8BAQdAlUir49CLGghOBRixojPOkHPHNwy4+KoSmNPQ
    QUWu7Ne0E2V4cGlyZWRAZXhhbXBsZS5vcmeIlgQTFggAPhYhBOVZYwFtjY2K1Bjb
    qRcwX36BmFKLBQJeC+EAAhsDBQkB4TOABQsJCAcCBhUKCQgLAgQWAgMBAh4BAheA
    AAoJEBcwX36BmFKLkgYA/2fr9AUiJNNzFL241IWhLPAAQ6+T3Tw8rBIfkpXVLO5K
    AP9HmNobDdpxEa7rS49I9shs5nzv3RXEpwxYRmnO4sh9CA==
    =7PxX
    -----END PGP PUBLIC KEY BLOCK-----

    """
  /// A key whose signing subkey was valid in January 2024.
  package static let keyWithExpiredSubkey = """
    -----BEGIN PGP PUBLIC KEY BLOCK-----

    mDMEZZIAgBYJKwYBBAHaRw8BAQdAge86FbInHlziSpwU5G56SJojuIZIRz/I2dPC
    YzLuf9S0D3N1YkBleGFtcGxlLm9yZ4iQBBMWCAA4FiEEOjHtMgQMwrufDFCdA/DS
    +UUIv10FAmWSAIACGwEFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQA/DS+UUI
    v12gQgEAvyOxQrxcJVXz1JqreEX6DMuqcGqh1m7c0D7OkieMb7MBANpAXajryZBN
    dMegikHvlNq/7qdJRe/LlsDQ38qaz0UPuDMEZZIAgBYJKwYBBAHaRw8BAQdAsB5l
    tMSBSIkNnJOjCKPnvpGJRTvvwPY+76DBLu8LGLOI9QQYFggAJhYhBDox7TIEDMK7
    nwxQnQPw0vlFCL9dBQJlkgCAAhsCBQkAJ40AAIEJEAPw0vlFCL9ddiAEGRYIAB0W
    IQSyw4RE+ZCOnoMw6+B1RBmSqF98sQUCZZIAgAAKCRB1RBmSqF98sXdKAP98AfE0
    MO7YHKtVVwWaE9DYmqqtdOYR7PF6/83iykDg3QD/Ul981Bg6Onf6VPffZHFjstPK
    f02A2rH+cvT9GdMkbg8PSgD+LyhJfk85kZ1E9PfmBZ8YTPZrsaPnsgjvz1yw7Wv2
    TcQA/23Ckr15lSfU63CpWjLvQoCzguq8/hPn6YjCGoU8Z6QL
    =I5EQ
    -----END PGP PUBLIC KEY BLOCK-----

    """
  /// gpg --armor --detach-sign, by `key`.
  package static let signature = """
    -----BEGIN PGP SIGNATURE-----

    iIYEABYIAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJuU24A/2YgoMcLBQw9hwgMfGoPTgyj+9Xvcs8wWJTs
    TaT5sKtcAQDiM3LSDGcF1LNuxhQrmj/BDdRi2WRZ6JcH6jVWtHBsDQ==
    =w01Y
    -----END PGP SIGNATURE-----

    """
  /// The same with --textmode.
  package static let textSignature = """
    -----BEGIN PGP SIGNATURE-----

    iIYEARYIAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJugw4BAKDTEx0Jo/7rhsuMKcJQCffIIYjzq02yWLda
    yr91zey2AP9/yaDnRvXSxHJVUvizne2JKWqd4UUtXIUxsZPJk0uWCw==
    =1230
    -----END PGP SIGNATURE-----

    """
  /// By `otherKey`.
  package static let otherSignature = """
    -----BEGIN PGP SIGNATURE-----

    iIgEABYIADAWIQSM25q9gmR6dRhGu2eRWNesW+diUAUCZZIAgBIcb3RoZXJAZXhh
    bXBsZS5vcmcACgkQkVjXrFvnYlBPEAEAuXvafgj9UXaer8IAotWQk8mIizyLFyO9
    f/3SfLtbwNsBAMTvFEjq3GkOMWCtURb0TI6Og0MrAWo6GJSXwCdZrtcF
    =Y3EG
    -----END PGP SIGNATURE-----

    """
  /// By `key` and `otherKey`.
  package static let twoSignatures = """
    -----BEGIN PGP SIGNATURE-----

    iIYEABYIAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJuU24A/2YgoMcLBQw9hwgMfGoPTgyj+9Xvcs8wWJTs
    TaT5sKtcAQDiM3LSDGcF1LNuxhQrmj/BDdRi2WRZ6JcH6jVWtHBsDYiIBAAWCAAw
    FiEEjNuavYJkenUYRrtnkVjXrFvnYlAFAmWSAIASHG90aGVyQGV4YW1wbGUub3Jn
    AAoJEJFY16xb52JQTxABALl72n4I/VF2nq/CAKLVkJPJiIs8ixcjvX/90ny7W8Db
    AQDE7xRI6txpDjFgrVEW9EyOjoNDKwFqOhiUl8AnWa7XBQ==
    =RNwR
    -----END PGP SIGNATURE-----

    """
  /// By `revokedKey`.
  package static let revokedSignature = """
    -----BEGIN PGP SIGNATURE-----

    iIoEABYIADIWIQSbpGodD1LMJ5XNooybRsytAj/ecgUCZZIAgBQccmV2b2tlZEBl
    eGFtcGxlLm9yZwAKCRCbRsytAj/ecmlhAPwNmMlEvnens0f57hCvFPfr/kK5bxRu
    AlIPafAaSYIZCQEAkIiIkQf198f2oanxdQqnJnzD9GJIO0cvwhZMtq4kLQI=
    =3Bw5
    -----END PGP SIGNATURE-----

    """
  /// By `expiredKey`, made in 2020.
  package static let signatureOfExpiredKey = """
    -----BEGIN PGP SIGNATURE-----

    iIoEABYIADIWIQTlWWMBbY2NitQY26kXMF9+gZhSiwUCXtRFABQcZXhwaXJlZEBl
    eGFtcGxlLm9yZwAKCRAXMF9+gZhSizulAP4mjjkpbSIEcMCWfa4ZQtqLTN2wTD1J
    scMDF1pwOyfwOwD/UyBH1W1SJEG+hKxjezj3isN+AztWCDjAqXOWnxvRcQ0=
    =y4bx
    -----END PGP SIGNATURE-----

    """
  /// By `keyWithExpiredSubkey`.
  package static let signatureOfExpiredSubkey = """
    -----BEGIN PGP SIGNATURE-----

    iIYEABYIAC4WIQSyw4RE+ZCOnoMw6+B1RBmSqF98sQUCZZNSABAcc3ViQGV4YW1w
    bGUub3JnAAoJEHVEGZKoX3yx2JUBAKNcve24jpFEV2MLEakBY/8TpLyNZ0eICIQs
    corAHA7iAQCftLO6r4APCTEpJSZkVmBYBB8zb9cRBL1yxjKAR0KRAw==
    =kgQX
    -----END PGP SIGNATURE-----

    """
  /// By `key`, valid for 30 days.
  package static let expiredSignature = """
    -----BEGIN PGP SIGNATURE-----

    iIwEABYIADQWIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgAWDACeNABAcb25l
    QGV4YW1wbGUub3JnAAoJEM5FAYp13FJuNhsA/3mgkW/fw4+uv90SMQZXRW9d0C3W
    rStCV9sewKEs5gDyAQC+Xgq8pks0+4rMqiMgLrC9ty93p4iYPseEZ01jtxQLCg==
    =STvp
    -----END PGP SIGNATURE-----

    """
  /// By `key`, of the SHA-1 digest.
  package static let sha1Signature = """
    -----BEGIN PGP SIGNATURE-----

    iIYEABYCAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJudKkA/2T+OWyTuT+qYelVqySDm2++E8T5cH2SxwPg
    lncN/6IWAQDa7JbTH+1WxBb2dxANA14ifUHJ8a6dke1nF0z/Ry5UDQ==
    =63SB
    -----END PGP SIGNATURE-----

    """
  /// gpg --clear-sign, by `key`.
  package static let signedList = """
    -----BEGIN PGP SIGNED MESSAGE-----
    Hash: SHA256

    8e56b639882ef91f67c597965dfb451cbd2e4b41d1a8cd9b01dd3241aa518796  a
    5de76c5ae436d8e19ed10e855a11288f8378fb22a26cd1cd9224bc1c9ac59d27  b
    -----BEGIN PGP SIGNATURE-----

    iIYEARYIAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJu5CEBAMHeSru0SzMrih6RmoPrhTMq5sg94VeIWdud
    AnOkFZ08AP0arYtyGq8qEid7nX5ulRRNEryDnNb0uZ5kOc4V05yZCw==
    =4ZpH
    -----END PGP SIGNATURE-----

    """
  /// By `otherKey`.
  package static let otherSignedList = """
    -----BEGIN PGP SIGNED MESSAGE-----
    Hash: SHA256

    8e56b639882ef91f67c597965dfb451cbd2e4b41d1a8cd9b01dd3241aa518796  a
    5de76c5ae436d8e19ed10e855a11288f8378fb22a26cd1cd9224bc1c9ac59d27  b
    -----BEGIN PGP SIGNATURE-----

    iIgEARYIADAWIQSM25q9gmR6dRhGu2eRWNesW+diUAUCZZIAgBIcb3RoZXJAZXhh
    bXBsZS5vcmcACgkQkVjXrFvnYlCwQwEAkqiKPj2/DlBxDnREkr9V7gIRDYB71LUl
    gIsEu2PucpcBAJXS3lyxm8ddJpNkaH3Jtx7mNhQKuoFSrv5ZPGYs21sG
    =VqQ9
    -----END PGP SIGNATURE-----

    """
  /// By `key` and `otherKey`.
  package static let twiceSignedList = """
    -----BEGIN PGP SIGNED MESSAGE-----
    Hash: SHA256

    8e56b639882ef91f67c597965dfb451cbd2e4b41d1a8cd9b01dd3241aa518796  a
    5de76c5ae436d8e19ed10e855a11288f8378fb22a26cd1cd9224bc1c9ac59d27  b
    -----BEGIN PGP SIGNATURE-----

    iIYEARYIAC4WIQQQCEaTJAkvepmDTbnORQGKddxSbgUCZZIAgBAcb25lQGV4YW1w
    bGUub3JnAAoJEM5FAYp13FJu5CEBAMHeSru0SzMrih6RmoPrhTMq5sg94VeIWdud
    AnOkFZ08AP0arYtyGq8qEid7nX5ulRRNEryDnNb0uZ5kOc4V05yZC4iIBAEWCAAw
    FiEEjNuavYJkenUYRrtnkVjXrFvnYlAFAmWSAIASHG90aGVyQGV4YW1wbGUub3Jn
    AAoJEJFY16xb52JQsEMBAJKoij49vw5QcQ50RJK/Ve4CEQ2Ae9S1JYCLBLtj7nKX
    AQCV0t5csZvHXSaTZGh9ybce5jYUCrqBUq7+WTxmLNtbBg==
    =5AOx
    -----END PGP SIGNATURE-----

    """
  /// gpg --armor --sign: the list in packets, not a detached signature.
  package static let message = """
    -----BEGIN PGP MESSAGE-----

    owGbwMvMwCF2zpWxq/ROUB7jmhlJXMEejkamZsGhvsGpkxgaLFJNzZLMjC0tLIxS
    0ywN08zMk00tzS3NTFPSkkxMDZOTUoxSTZJMDFMMEy2SUyyTDAxTUoyNTAwTE00N
    LYDqFBQSuUxTUs3Nkk0TU02MzVIsUg0tU1MMDVItTE0TDQ2NLCzSLIzNLdKSjIwS
    jcySUwyBphgZmSQlGyZbJgLtSjEyV1BI4upoY2EQ42DQE1NkEeBwm6zCqV81s9l3
    J8zlrEwgxwrI5OelOqRWJOYW5KTq5RelM3BxCsCUBOcx/E9TWHCcm5XHtp2DpyaL
    349n8e+r74vOG0RMeeO75OeG1TGMDI+Miy7xpLNe2Zx3TER7lv1B3itJN1MiX0xn
    f2UatqUghxcA
    =x9LZ
    -----END PGP MESSAGE-----

    """
  /// A text without a signature, `echo unsigned text`.
  package static let unsignedMessage = """
    -----BEGIN PGP MESSAGE-----

    rB1iBGV2aWxrA8NAZWNobyB1bnNpZ25lZCB0ZXh0Cg==
    =3+e5
    -----END PGP MESSAGE-----

    """
}
