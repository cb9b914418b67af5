/// Documents as their specifications and the programs that write them have them.
enum MetalinkSamples {
  /// RFC 5854 section 1.1.
  static let minimal = """
    <?xml version="1.0" encoding="UTF-8"?>
    <metalink xmlns="urn:ietf:params:xml:ns:metalink">
      <published>2009-05-15T12:23:23Z</published>
      <file name="example.ext">
        <size>14471447</size>
        <url>ftp://ftp.example.com/example.ext</url>
        <url>http://example.com/example.ext</url>
        <metaurl mediatype="torrent">
        http://example.com/example.ext.torrent</metaurl>
      </file>
    </metalink>
    """

  /// RFC 5854 section 1.1, the extensive example, with the pieces and the signature of section 4.
  static let extensive = """
    <?xml version="1.0" encoding="UTF-8"?>
    <metalink xmlns="urn:ietf:params:xml:ns:metalink" xmlns:ext="http://example.com/extension">
      <generator>Example Generator/1.0</generator>
      <origin dynamic="true">http://example.com/example.ext.meta4</origin>
      <published>2010-05-15T12:23:23Z</published>
      <updated>2010-05-17T12:23:23Z</updated>
      <file name="example.ext">
        <size>14471447</size>
        <identity>Example</identity>
        <version>1.0</version>
        <language>en</language>
        <os>Linux</os>
        <copyright>Example &amp; Co.</copyright>
        <publisher name="Example" url="http://example.com/"/>
        <description>
        A description of the <ext:b>example</ext:b> file for download.
        </description>
        <signature mediatype="application/pgp-signature">
    -----BEGIN PGP SIGNATURE-----
    iEYEABECAAYFAkrxdXQACgkQeOEcayedXJHqFwCfd1p/HhRf/iDvYhvFbTrQPz+p
    -----END PGP SIGNATURE-----
        </signature>
        <hash type="sha-256">0123456789abcdef0123456789abcdef0123456789abcdef0123456789ABCDEF</hash>
        <hash type="tiger">0123456789abcdef0123456789abcdef0123456789abcdef</hash>
        <hash type="sha-1">0123456789012345678901234567890123456789</hash>
        <pieces length="5242880" type="sha-1">
          <hash>0000000000000000000000000000000000000000</hash>
          <hash>1111111111111111111111111111111111111111</hash>
          <hash>2222222222222222222222222222222222222222</hash>
        </pieces>
        <url location="de" priority="2">https://de.example.com/example.ext</url>
        <url location="fr" priority="1">http://fr.example.com/example.ext</url>
        <url location="us" priority="999999">http://us.example.com/example.ext</url>
        <url>rsync://example.com/example.ext</url>
        <metaurl mediatype="torrent" priority="2">http://example.com/example.ext.torrent</metaurl>
        <ext:url>http://example.com/extension</ext:url>
      </file>
      <file name="dir/example2.ext">
        <language>de</language>
        <hash type="sha-512">\(String(repeating: "0123456789abcdef", count: 8))</hash>
        <url priority="1"><![CDATA[http://example.com/example2.ext?a=1&b=2]]></url>
      </file>
    </metalink>
    """

  /// What mirrorbrain writes for version 3, with the parts that Metalink Editor adds.
  static let version3 = """
    <?xml version="1.0" encoding="UTF-8"?>
    <metalink version="3.0" xmlns="http://www.metalinker.org/"
      origin="http://download.opensuse.org/distribution/openSUSE.iso.metalink"
      generator="MirrorBrain 2.18.1 (see http://mirrorbrain.org/)"
      type="dynamic"
      pubdate="Tue, 17 May 2011 10:22:34 GMT"
      refreshdate="Tue, 17 May 2011 10:22:34 GMT">

      <publisher>
        <name>openSUSE</name>
        <url>http://download.opensuse.org</url>
      </publisher>

      <files>
        <file name="openSUSE.iso">
          <size>600000</size>
          <language>en-US</language>
          <os>Linux-x86</os>
          <!-- <mtime>1305627754</mtime> -->
          <verification>
            <signature type="pgp" file="openSUSE.iso.asc">
    -----BEGIN PGP SIGNATURE-----
    -----END PGP SIGNATURE-----
            </signature>
            <hash type="md5">0123456789abcdef0123456789abcdef</hash>
            <hash type="sha1">0123456789012345678901234567890123456789</hash>
            <hash type="sha256">0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef</hash>
            <pieces length="262144" type="sha1">
                <hash piece="0">0000000000000000000000000000000000000000</hash>
                <hash piece="1">1111111111111111111111111111111111111111</hash>
                <hash piece="2">2222222222222222222222222222222222222222</hash>
            </pieces>
          </verification>
          <resources maxconnections="1">

          <url type="http" location="cz" preference="99">http://ftp.example.cz/openSUSE.iso</url>
          <url type="bittorrent" preference="100">http://download.opensuse.org/openSUSE.iso.torrent</url>
          <url type="ftp" location="de" preference="100">ftp://ftp.example.de/openSUSE.iso</url>
          <url type="http" location="de" preference="100">http://ftp.example.de/openSUSE.iso</url>
          <url type="http">http://last.example.org/openSUSE.iso</url>
          </resources>
        </file>
      </files>
    </metalink>
    """
}
