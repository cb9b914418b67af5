#!/usr/bin/env bash
# Removes guards of lists, bags, signatures, compression and manifests one at a time, in a copy of the package. The tests
# of their targets must fail for each; for guards of the command, the tests that run the program.
# Run from the repository's root. The last line is `N passed, M failed`.
set -u
# The manifest lists the examples only for whom sets it.
unset SWIFTGET_TESTS
. Tests/mutation.sh
sources=$copy/Sources

cp -r "$root/Sources" "$root/Tests" "$root/share" "$root/man" "$copy/"

# package TESTS [PROGRAM]: the copy has this target of tests, the program that they run, and what both depend on. A mutant is
# then built in seconds.
package() {
  tests=^$1
  python3 - "$root/Package.swift" "$@" > "$copy/Package.swift" << 'EOF'
import re, sys

head, start, targets = open(sys.argv[1]).read().partition("  targets: [\n")
entry = re.compile(r"^    \.(?:target|testTarget|executableTarget)\(.*?\),\n", re.M | re.S)
uses = {}
for found in entry.findall(targets):
    name, *dependencies = re.findall(r'"(\w+)"', re.sub(r"c?Settings:.*|path: \S+|resources: .*?\]", "", found))
    uses[name] = dependencies
wanted, waiting = set(), sys.argv[2:]
while waiting:
    name = waiting.pop()
    if name not in wanted:
        wanted.add(name)
        waiting += uses.get(name, [])
targets = entry.sub(lambda found: found[0] if re.search(r'"(\w+)"', found[0])[1] in wanted else "", targets)
print(re.sub(r"^    \.(executable|library)\(.*\n", "", head, flags=re.M) + start + targets)
EOF
}

# $tests of the copy's target, which see what runs in their process. Fuzz tests are short: what they find first is enough.
own_tests() {
  (cd "$copy" && swift build --build-tests > build.log 2>&1) || return 2
  (cd "$copy" && SWIFTGET_FUZZ_ROUNDS=1000 timeout 300 swift test --skip-build --filter "$tests" --skip Simulated \
    > test.log 2>&1) || return 1
}

notices() { own_tests; }

package DownloadCoreTests

# Names of files in bags.
mutant 'a name in a bag does not leave it' DownloadCore/Lists/Bag/BagPath.swift \
  'throw .bag(.invalidName(name, error))' 'components = [name]'
mutant 'a name in a bag is not below a home directory' DownloadCore/Lists/Bag/BagPath.swift \
  'if name.first == UInt8(ascii: "~") { throw .bag(.homeDirectory(name)) }' ''
mutant 'a payload manifest lists the payload' DownloadCore/Lists/Bag/BagPath.swift \
  'case .payload: if !isPayload { throw .bag(.outsidePayload(key)) }' 'case .payload: break'
mutant 'a tag manifest lists no payload' DownloadCore/Lists/Bag/BagPath.swift \
  'case .tags: if isPayload { throw .bag(.insidePayload(key)) }' 'case .tags: break'
mutant 'a name in a bag has no bare CR' DownloadCore/Lists/Bag/BagPath.swift \
  'if written.contains(0x0d) { throw .bag(.bareCarriageReturn) }' ''
mutant 'a name in a bag is UTF-8' DownloadCore/Lists/Bag/BagPath.swift 'throw .bag(.notUTF8)' '_ = 0'
mutant 'a percent sign at the end of a name stands for itself' DownloadCore/Lists/Bag/BagPath.swift \
  'case 0x0a? where written.endIndex - index > 2:' 'case 0x0a?:'

# What the files of a bag say.
mutant 'a manifest of a bag does not contradict itself' DownloadCore/Lists/Bag/BagListing.swift \
  'guard earlier.digest == line.digest else { throw .contradictoryDigests(line.path.key, line: earlier.line) }' ''
mutant 'a manifest of a bag lists a file once' DownloadCore/Lists/Bag/BagListing.swift \
  'guard allowsRepeats else { throw .repeatedName(line.path.key, line: earlier.line) }' ''
mutant 'names of a bag are told apart, whatever their hashes' DownloadCore/Text/DistinctStrings.swift \
  'stored[$0 * 2].elementsEqual(string)' 'stored[$0 * 2].count >= 0'
mutant 'a block of rows is written before another one is read' DownloadCore/Lists/Bag/BagColumn.swift \
  'if block.hasChanged { save() }' ''
mutant 'a row is that of the manifest' DownloadCore/Lists/Bag/BagListing.swift \
  'UInt32(in: value, at: value.startIndex) == manifest' 'true'
mutant 'a name with an encoded percent sign is not that of another file' DownloadCore/Lists/Bag/BagListing.swift \
  'keys.number(of: BagPath.encodingPercents(key)) == nil' 'true'
mutant 'a bare percent sign means that none is encoded' DownloadCore/Lists/Bag/BagListing.swift \
  'if line.path.hasBarePercent { keepsPercents = true }' ''
mutant 'a URL of a bag has no control characters' DownloadCore/Lists/Bag/BagFetch.swift \
  'if fields.url.contains(where: \.isControl) { throw .controlCharacter }' ''
mutant 'a line of fetch.txt has a URL' DownloadCore/Lists/Bag/BagFetch.swift \
  'guard URLScheme.begins(fields.url) else { throw .notURL(Array(fields.url)) }' ''
mutant 'a line of fetch.txt has a length' DownloadCore/Lists/Bag/BagFetch.swift \
  'if length == nil { throw .bag(.notLength(Array(fields.length))) }' ''
mutant 'a digest of a bag has the length of its algorithm' DownloadCore/Lists/Bag/BagManifest.swift \
  'if digest == nil { throw .malformedDigest(algorithm) }' ''
mutant 'the declaration of a bag has the form of its version' DownloadCore/Lists/Bag/BagDeclaration.swift \
  'if version == .v1_0 { try Self.requireForm(lines) }' ''
mutant 'the tag files of a bag are UTF-8' DownloadCore/Lists/Bag/BagDeclaration.swift \
  'guard tag.value.equals(folded: "utf-8") else {' 'guard !tag.value.isEmpty else {'
mutant 'the declaration of a bag has no byte order mark' DownloadCore/Lists/Bag/BagDeclaration.swift \
  'throw Self.error(.byteOrderMark, 1)' '_ = 0'

# The index of finished files.
mutant 'a record is about one inode' DownloadCore/Sidecar/FinishedFile.swift 'self.inode == inode && ' ''
mutant 'a record is about a file that is untouched' DownloadCore/Sidecar/FinishedFile.swift \
  '&& mark.isUntouched(size: size, modified: modified, changed: changed) ? mark' '? mark'
mutant 'a record vouches for something' DownloadCore/Sidecar/FinishedFileRecord.swift \
  'guard mark.digest != nil || mark.url != nil else { return nil }' ''
mutant 'a record ends before its file' DownloadCore/Sidecar/FinishedFileRecord.swift \
  'return end <= bytes.count ? (digest, end) : nil' 'return (digest, end)'

# Netrc files.
mutant 'a netrc password is that of its login' DownloadCore/Plan/NetrcFile.swift \
  '(login == nil || entry.login == nil || entry.login == login)' 'true'
mutant 'a netrc entry for a login has a password' DownloadCore/Plan/NetrcFile.swift \
  '$0.password != nil || login == nil && $0.login != nil' '$0.password != nil || $0.login != nil'
mutant 'a netrc default is for machines without entries' DownloadCore/Plan/NetrcFile.swift \
  'own.isEmpty && takesDefault ? fitting(others) : own' 'takesDefault ? own + fitting(others) : own'
mutant 'a netrc default is not for machines that nobody named' DownloadCore/Plan/NetrcFile.swift \
  'own.isEmpty && takesDefault' 'own.isEmpty'
mutant 'a netrc entry is for its machine' DownloadCore/Plan/Secrets.swift \
  'guard scope.isNamedByUser else {' 'guard scope.isNamedByUser || true else {'
mutant 'a netrc value may begin with a number sign' DownloadCore/Plan/NetrcFile.swift ', isAtLineStart || !isValue' ''
mutant 'a netrc entry has one login' DownloadCore/Plan/NetrcFile.swift \
  'if keyword == .login || keyword == .port, values[keyword] != nil { throw words.problem(.repeated(keyword)) }' ''
mutant 'a netrc entry is for its port' DownloadCore/Plan/NetrcFile.swift 'entry.isFor(port: port) && ' ''
mutant 'a netrc word is a keyword or refused' DownloadCore/Plan/NetrcFile.swift \
  'guard let keyword = word.keyword else { throw problem(.unknownWord) }' \
  'guard let keyword = word.keyword else { return .account }'
mutant 'a netrc quotation ends in its line' DownloadCore/Plan/NetrcFile.swift \
  'if isAtLineEnd { throw problem(.openQuotation) }' 'if index == bytes.count { throw problem(.openQuotation) }'
mutant 'a netrc quotation ends with its word' DownloadCore/Plan/NetrcFile.swift \
  'if !isAtWordEnd { throw problem(.textAfterQuotation) }' ''
mutant 'a netrc file has no control characters' DownloadCore/Plan/NetrcFile.swift \
  'if byte.isControl, !byte.isSpace { throw problem(.controlCharacter) }' ''
mutant 'a netrc login has no control characters' DownloadCore/Plan/NetrcFile.swift \
  'if keyword != .password, value.bytes.contains(where: \.isControl) { throw problem(.controlCharacter) }' ''
mutant 'a netrc value has a limit' DownloadCore/Plan/NetrcFile.swift \
  'if word.bytes.count == NetrcFile.mostValueBytes { throw problem(.tooLong) }' ''
mutant 'a netrc value on a later line is no keyword' DownloadCore/Plan/NetrcFile.swift \
  ', line == missing.line || value.keyword == nil else' ' else'
mutant 'a mirror has its own user' DownloadCore/Plan/CredentialScope.swift \
  'request.mirrors.indices.contains(mirror) ? request.mirrors[mirror] : nil' 'request.mirrors.first { $0.location.origin == origin }'
mutant 'a password stays with its origin' DownloadCore/Plan/CredentialScope.swift \
  'isNamedByUser && own?.location.origin == origin' 'isNamedByUser'
mutant 'header lines stay with their entry' DownloadCore/Plan/CredentialScope.swift \
  'isOfEntry ? request.headers : []' 'isNamedByUser ? request.headers : []'
mutant 'a cookie of a redirect is for its host' DownloadCore/Machines/Transfers/ChainCookies.swift \
  '(isHost || !isForHostOnly && ChainCookies.isSubdomain(location.host, of: domain))' 'true'
mutant 'a cookie of a redirect is not for a top level domain' DownloadCore/Machines/Transfers/ChainCookies.swift \
  'domain.contains(".") && isSubdomain(host, of: domain)' 'isSubdomain(host, of: domain)'
mutant 'a secure cookie of a redirect needs TLS' DownloadCore/Machines/Transfers/ChainCookies.swift \
  '&& (!isSecure || location.scheme.isEncrypted)' ''
mutant 'a cookie of a file fits into a request' DownloadCore/HTTP/CookieFile.swift \
  '> Self.mostCookieBytes { throw .tooLong(line: index + 1) }' '> .max { throw .tooLong(line: index + 1) }'
mutant 'an unknown host is tried twice' DownloadCore/Machines/Retries.swift \
  'fault.isUnknownHost ? min(tries, Self.unknownHostTries) : tries' 'tries'
mutant 'a password in the URL counts more than netrc' DownloadCore/Plan/Secrets.swift \
  'if let user, user.utf8.contains(UInt8(ascii: ":")) { return Credentials(userinfo: user) }' ''
mutant 'a host has its own netrc file' DownloadCore/Plan/Secrets.swift '(own?.netrc ?? netrc)' 'netrc'
package DownloadListsTests swiftget
mutant 'an index is written by its owner only' DownloadLists/Finished/FinishedIndexReader.swift \
  'status.mode & 0o022 == 0, ' ''
mutant 'an index is no link' DownloadLists/Finished/FinishedIndexReader.swift 'O_RDONLY | O_NOFOLLOW' 'O_RDONLY'
mutant 'an index is not replaced by that of a part of the list' DownloadLists/Finished/FinishedIndex.swift \
  '!isWhole || count == knownCount' 'count == knownCount'
mutant 'a stamp is of a run that left all its files' DownloadLists/Finished/FinishedIndex.swift \
  'count == itemCount ? run : nil' 'run'
mutant 'all files of a stamped run are looked at' DownloadLists/Finished/FinishedIndexReader.swift \
  'return offset == byteCount && count == head.count' 'return true'
mutant 'a file of a stamped run is as it was left' DownloadLists/Finished/FinishedIndex.swift ', file.noted != nil' ''
package DownloadCoreTests

# Tables and JSON.
mutant 'all rows have as many fields' DownloadCore/Lists/Tables/RowSplitter.swift \
  'fields.count != fieldCount {' 'fieldCount < 0 {'
mutant 'a table has no NUL bytes' DownloadCore/Lists/Tables/RowSplitter.swift \
  'if hasNUL { return .refused(.nulByte) }' ''
mutant 'a quoted field has a limit' DownloadCore/Lists/Tables/RowSplitter.swift \
  'if offset > limit { return tooLong }
            if offset + 1' 'if offset + 1'
mutant 'a field has a limit' DownloadCore/Lists/Tables/RowSplitter.swift \
  'if offset > limit { return tooLong }
          if offset == count' 'if offset == count'
mutant 'nothing stands behind a quoted field' DownloadCore/Lists/Tables/RowSplitter.swift \
  'return .refused(.table(.textAfterQuote))' '_ = 0'
mutant 'a quotation mark must be closed' DownloadCore/Lists/Tables/RowSplitter.swift \
  'isAtEnd ? .refused(.table(.unfinishedQuote)) : .incomplete' '.incomplete'
mutant 'objects on lines of their own are JSON Lines' DownloadCore/Lists/Detection/JSONShape.swift \
  'if shape.fitsLine, shape.isFollowed { return .jsonl }' ''
mutant 'a backslash escapes a quotation mark' DownloadCore/Lists/Detection/JSONShape.swift \
  'index += text[index] == UInt8(ascii: "\\") ? 2 : 1' 'index += 1'

mutant 'words in quotation marks end' DownloadCore/Lists/Tables/RowSplitter.swift \
  'if offset < end, !bytes[offset].isSpace { return .refused(.table(.textAfterQuote)) }' ''
mutant 'a row that does not fulfil a condition is no file' DownloadCore/Lists/Tables/ColumnPlan.swift \
  'guard source.conditions.allSatisfy({ $0.value.matches(row.field($0.index).trimmed) }) else {' 'guard true else {'
mutant 'a column that names files has a value' DownloadCore/Lists/Tables/ColumnPlan.swift \
  'if value.isEmpty { throw .table(.unusableTemplateValue(column.text)) }' ''

# Indexes of Debian archives, and checksum files of distributions.
mutant 'a stanza with anything wrong has no file' DownloadCore/Lists/Deb822Parser.swift \
  'isRefused = true' ''
mutant 'a file has one size in all fields' DownloadCore/Lists/Tables/ColumnRules.swift \
  'if let known = self.size, known != size { throw .contradictorySizes(known, size) }' ''
mutant 'a stanza names one file' DownloadCore/Lists/Deb822Parser.swift \
  'if file.name != nil { throw .repeatedField }' ''
mutant 'a stanza has one directory' DownloadCore/Lists/Deb822Parser.swift \
  'if directory != nil { throw .repeatedField }' ''
mutant 'lines below a field of files are read' DownloadCore/Lists/Deb822Parser.swift \
  'return field == .other && line.contains' 'return line.contains'
mutant 'a field that is passed over ends the one above' DownloadCore/Lists/Deb822Parser.swift \
  'self.field = field' ''
mutant 'a comment ends no field' DownloadCore/Lists/Deb822Parser.swift \
  ', first != UInt8(ascii: "#"), let count' ', let count'
mutant 'a line that is passed over has no NUL' DownloadCore/Lists/Deb822Parser.swift \
  ', !line.contains(0)' ''
mutant 'a signed index is complete' DownloadCore/Lists/Deb822Parser.swift \
  'try armour.finish()' ''
mutant 'a line of an index is a field' DownloadCore/Lists/Deb822Parser.swift \
  'guard let (known, value) = Self.field(line) else { throw .notControlLine }' \
  'guard let (known, value) = Self.field(line) else { return }'
mutant 'a file of a Manifest has a known digest' DownloadCore/Lists/PublishedLine.swift \
  'if entry.digests.isEmpty { throw .unknownAlgorithm(Array(words[3])) }' ''
mutant 'a digest of a Manifest has its length' DownloadCore/Lists/PublishedLine.swift \
  'throw .malformedDigest(algorithm)' 'continue'
mutant 'a comment names an algorithm only by itself' DownloadCore/Lists/ChecksumListParser.swift \
  'words.count <= 2, let' 'let'
mutant 'text before checksums is no damaged checksum' DownloadCore/Lists/Detection/ChecksumPreamble.swift \
  '.contains(where: mayBeDigest)' '.isEmpty'
mutant 'text before checksums is no URL' DownloadCore/Lists/Detection/ChecksumPreamble.swift \
  'URLScheme.begins(text) || ' ''
mutant 'text before checksums is no markup' DownloadCore/Lists/Detection/ChecksumPreamble.swift \
  'text.first == UInt8(ascii: "<") || ' ''
mutant 'text before checksums ends' DownloadCore/Lists/Detection/ChecksumPreamble.swift \
  'guard textCount <= maximumLineCount, isText(text)' 'guard isText(text)'
mutant 'half of what follows text are checksums' DownloadCore/Lists/Detection/ChecksumPreamble.swift \
  '&& counts.entries >= counts.others' ''
mutant 'text before checksums is counted' DownloadCore/Lists/ChecksumListParser.swift \
  'if lineNumber <= preambleLineCount {
      passedCount += 1' 'if lineNumber <= preambleLineCount {'
mutant 'a line with a backslash is not plain' DownloadCore/Lists/ChecksumLine.swift \
  ', !line[start...].contains(backslash)' ''
mutant 'a drive makes a name absolute' DownloadCore/Lists/ChecksumLine.swift \
  '(hasDrive ? name.dropFirst(2) : name)' '(hasDrive ? name.dropFirst(3) : name)'
mutant 'a surrogate has another one' DownloadCore/Text/UTF16Decoder.swift 'case (_?, _): throw Fault()' 'case (_?, _): high = nil'
mutant 'UTF-16 ends with a character' DownloadCore/Text/UTF16Decoder.swift \
  'if half != nil || high != nil { throw Fault() }' ''
mutant 'XML names its encoding itself' DownloadCore/Text/UTF16Decoder.swift \
  'if unit.elementsEqual(isLittleEndian ? [UInt8(ascii: "<"), 0] : [0, UInt8(ascii: "<")]) { return nil }' ''
mutant 'a decorated line has a URL' DownloadCore/Lists/LineDecoration.swift \
  'url.flatMap { URLScheme.begins($0) ? $0 : nil }' 'url'
mutant 'nothing but a separator follows a quoted URL' DownloadCore/Lists/LineDecoration.swift \
  'rest.isEmpty || rest.count == 1 && ",;".utf8.contains(rest[rest.startIndex])' 'true'
mutant 'a blank stands behind a bullet' DownloadCore/Lists/LineDecoration.swift \
  'return text.count < rest.count ? text : line' 'return text'
mutant 'a list may name the program that reads it' DownloadCore/Lists/Detection/ForeignText+Detection.swift \
  'if URLScheme.begins(first) || ChecksumLine.isOne(first) { return nil }' ''
mutant 'a word is no command' DownloadCore/Lists/Detection/ForeignText+Detection.swift \
  'return words[1].contains("://".utf8) || words[1].first == UInt8(ascii: "-")' 'return true'
mutant 'the output of certutil has a digest' DownloadCore/Lists/Detection/ForeignText+Detection.swift \
  'return isHeading && ChecksumLine.isBare(digits[...]) ? .certutil : nil' 'return isHeading ? .certutil : nil'
mutant 'TOML has a section' DownloadCore/Lists/Detection/ForeignText+Detection.swift \
  'guard isSection(first) || isValue, lines.contains(where: isSection) else { return nil }' \
  'guard isSection(first) || isValue else { return nil }'
mutant 'a multihash has all bytes of its digest' DownloadCore/Digests/Multihash.swift \
  'bytes.count == prefix.count + Int(prefix[prefix.count - 1])' 'bytes.count >= prefix.count'
mutant 'a SHA-256 in hexadecimal is no SHA-384' DownloadCore/Digests/StatedDigest.swift \
  'if DigestAlgorithm(digitCount: text.count) != nil, text' 'if text.isEmpty, text'
mutant 'several digests do not contradict each other' DownloadCore/Lists/StatedDigests.swift \
  'case .digest(let digest): try digests.add(digest)' 'case .digest(let digest): digests.append(digest)'

# Digests and what stands behind URLs; options of aria2; tables without a header; JSON lists in pages.
mutant 'a digest that is not understood is refused' DownloadCore/Lists/URLFragment.swift \
  'case .malformed(let algorithm): throw .malformedFragment(algorithm)' 'case .malformed: break'
mutant 'a digest of an unknown algorithm is refused' DownloadCore/Lists/URLFragment.swift \
  'case .unknown(let name): throw .unknownAlgorithm(Array(name.utf8))' 'case .unknown: break'
mutant 'a short word behind a hyphen is no digest' DownloadCore/Digests/StatedDigest.swift \
  'private static let fewestCharacters = 22' 'private static let fewestCharacters = 1'
mutant 'a digest behind a blank ends the URL' DownloadCore/Lists/Aria2ListParser.swift \
  'return (text[..<words[first].startIndex].trimmed, digests)' 'return (text, digests)'
mutant 'an option that changes who is asked is refused' DownloadCore/Lists/Aria2Option.swift \
  'meaning.harmless.contains(value.loweredPrintable)' 'meaning.option == nil'
mutant 'an asterisk is no referer' DownloadCore/Lists/Aria2ListParser.swift \
  'if value.elementsEqual("*".utf8) { throw .refererOfItself }' ''
mutant 'a path in the first row is a file' DownloadCore/Lists/Tables/FirstRow.swift \
  '$0.contains(UInt8(ascii: "/")) || $0.contains(UInt8(ascii: "."))' '$0.isEmpty'
mutant 'a digest in the first row is that of a file' DownloadCore/Lists/Tables/FirstRow.swift \
  'Self.isValue(row.field($0).trimmed)' 'row.field($0).isEmpty && false'
package DownloadJSONTests
mutant 'a path that no record has is an error' DownloadJSON/RecordReading.swift \
  'if let path = unknown { throw .json(.unknownPath(path.text)) }' ''
mutant 'a record that does not fulfil a condition is no file' DownloadJSON/RecordReading.swift \
  'if !matches { isFile = false }' ''
mutant 'an empty text is none' DownloadJSON/RecordReading.swift 'texts.allSatisfy(\.isEmpty)' 'texts.isEmpty'
mutant 'a record without a URL is an error' DownloadJSON/RecordReading.swift \
  'if columns.urlIsOptional { return false }' 'return false'
mutant 'a path leads to values of the record, or around it' DownloadJSON/RecordReading.swift \
  'if isSplit, isOutside {' 'if false {'
mutant 'a name is one value' DownloadJSON/RecordReading.swift \
  'if values.count > 1 { throw .json(.severalValues(path.text)) }' ''
mutant 'a checksum has one algorithm' DownloadJSON/RecordReading.swift \
  'guard names.count == 1, let name' 'guard let name'
mutant 'a file of unknown checksums only is an error' DownloadJSON/RecordReading.swift \
  'if let unknown, entry.digests.count == before { throw .unknownAlgorithm(unknown) }' ''
mutant 'a document is held whole for what is around its records' DownloadJSON/JSONDocumentParser.swift \
  'guard reading.areBelow(stepCount) else {' 'guard true else {'
mutant 'a key on the way to the records stands once' DownloadJSON/DocumentSplitter.swift \
  'guard objects[last].ways.insert(key).inserted else { return invalid(.duplicateKey) }' '_ = 0'
mutant 'a list in pages is refused' DownloadJSON/JSONDocumentParser.swift \
  'if page == .only, NextPage.reference(in: key, value) != nil {' 'if false {'

# Manifests that are written.
package DownloadListWritingTests
mutant 'a checksum line with escapes begins with a backslash' DownloadListWriting/ChecksumListWriter.swift \
  'if name.count != file.name.count { text.append(UInt8(ascii: "\\")) }' ''
mutant 'a CR in a checksum line is escaped' DownloadListWriting/ChecksumListWriter.swift \
  'case 0x0d: "\\r"' ''
mutant 'a reference does not look like a scheme' DownloadListWriting/FileURLs.swift \
  'if index == 0, base.isEmpty, component.contains(UInt8(ascii: ":")) { url += "./".utf8 }' ''
mutant 'the query of the base URL is left out' DownloadListWriting/FileURLs.swift 'query: nil' 'query: base.query'
mutant 'percent signs in names of a bag are encoded' DownloadListWriting/BagFiles.swift \
  'case UInt8(ascii: "%"): "%25"' ''
mutant 'markup in names is escaped' DownloadListWriting/XMLText.swift 'case UInt8(ascii: "<"): "&lt;"' ''
mutant 'a Metalink has no control characters in names' DownloadListWriting/XMLText.swift \
  'if name.contains(where: \.isControl) { return .controlCharacter }' ''
mutant 'control characters in JSON are escaped' DownloadCore/Text/JSONObject.swift 'case 0..<0x20, 0x7f:' 'case 0x7f:'
mutant 'checksum lines of two algorithms can be told apart' DownloadListWriting/WrittenFormat.swift \
  'where other.byteCount == one.byteCount {' 'where other.byteCount < 0 {'
mutant 'a file has a bounded number of pieces' DownloadListWriting/HashedFile.swift \
  'while (fileLength - 1) / length >= mostPieces { length *= 2 }' 'if (fileLength - 1) / length >= mostPieces { length *= 2 }'

# Signatures.
package DownloadSignaturesTests
mutant 'the signature is verified' DownloadSignatures/Ed25519Signature+Verification.swift 'text.count) == 1' 'text.count) >= 0'
mutant 'the key has the identifier of the signature' DownloadSignatures/Ed25519Signature+Verification.swift \
  'keys.filter { $0.identifier == key }' 'keys'
mutant 'the trusted comment is verified' DownloadSignatures/Ed25519Signature+Verification.swift \
  'guard try candidate.hasSigned(signature + trustedComment.text, trustedComment.signature) else {' \
  'guard try candidate.hasSigned(signature + trustedComment.text, trustedComment.signature) || true else {'
mutant 'a signature of minisign has a trusted comment' DownloadSignatures/Ed25519Signature.swift \
  'if needsTrustedComment || isOfDigest { throw .missingTrustedComment }' ''
mutant 'nothing stands behind a signature' DownloadSignatures/Ed25519Signature.swift \
  'guard lines.isAtEnd else { throw .trailingText }' ''
mutant 'a signature before its text is not of a digest' DownloadSignatures/Ed25519Signature.swift \
  'if isOfDigest { throw .malformedLine(number: 2) }' ''
mutant 'gpgv must end with 0' DownloadSignatures/GpgvStatus.swift 'guard exitStatus == 0, let first' 'guard let first'
mutant 'every good signature is valid' DownloadSignatures/GpgvStatus.swift 'validCount == good.count else' 'validCount >= 0 else'
mutant 'a signature of a detached text has no text' DownloadSignatures/GpgvStatus.swift \
  'guard textCount == (isDetached ? 0 : 1) else { throw .severalTexts }' ''
mutant 'a revoked key signs nothing' DownloadSignatures/GpgvStatus.swift 'case "REVKEYSIG": note(.revokedKey(key))' ''
mutant 'an expired key signs nothing' DownloadSignatures/GpgvStatus.swift 'case "EXPKEYSIG": note(.expiredKey(key))' ''
mutant 'a bad signature is a fault' DownloadSignatures/GpgvStatus.swift 'case "BADSIG": note(.wrongSignature(key))' ''
mutant 'a secret key is no public key' DownloadSignatures/OpenPGPKeyring.swift \
  'case publicKeyKind: return' 'case publicKeyKind, secretKeyKind: return'

# Compression.
package DownloadCompressionTests
mutant 'the window of xz has a limit' DownloadCompression/XZDecoder.swift 'UInt64(memoryLimit)' 'UInt64.max'
mutant 'the window of zstd has a limit' DownloadCompression/ZstdDecoder.swift \
  'Int32(memoryLimit.trailingZeroBitCount)' '31'
mutant 'a frame of zstd ends' DownloadCompression/ZstdDecoder.swift 'if !isBetweenFrames { throw .truncated }' ''
mutant 'a member of gzip ends' DownloadCompression/GzipDecoder.swift 'if state == .member { throw .truncated }' ''
mutant 'only zeros follow the members of gzip' DownloadCompression/GzipDecoder.swift \
  'guard input.allSatisfy({ $0 == 0 }) else { throw .trailingBytes }' ''
mutant 'nothing is read after an error' DownloadCompression/Decompressor.swift \
  'if let failure { throw failure }
    guard !output' 'guard !output'

# Bags that are made.
package CommandCheckingTests swiftget
mutant 'the payload of a bag is what was hashed' CommandChecking/BagInPlace.swift \
  'found.files.map(\.name) == files.map(\.name), ' ''
mutant 'the payload of a bag has the lengths that were hashed' CommandChecking/BagInPlace.swift \
  ', found.files.map(\.length) == files.map(\.length) else' ' else'
mutant 'a bag holds nothing that it cannot list' CommandChecking/BagInPlace.swift \
  'if !leftOut.isEmpty { throw .unlisted(leftOut) }' ''
mutant 'a bag is not made of a bag' CommandChecking/BagInPlace.swift \
  'if kind(BagFiles.declaration) == .regular { throw .isBag }' ''
mutant 'a file that moves replaces none' CommandChecking/BagInPlace.swift \
  'throw .collision(one.name)' '_ = one'
mutant 'tag files of other algorithms do not stay' CommandChecking/BagInPlace.swift 'try removeOtherTagFiles(bag)' ''

package CommandSetsTests swiftget
mutant 'the marks of files stay valid' DownloadFiles/MarkedFile.swift \
  'try? SystemCalls.fsetxattr(file.raw, .verified, mark.bytes)' ''
mutant 'a mark that was invalid stays invalid' DownloadFiles/MarkedFile.swift \
  'mark.isUntouched(size: status.size, modified: status.modified, changed: status.changed) ? mark : nil' 'mark'
mutant 'a set has what stays of the previous one' DownloadFiles/FileSet.swift \
  'if try add(name, old, previous: previous, added: nil, set, path, choice, &known) {' 'if false {'
mutant 'a new file has the permissions of the old one' DownloadFiles/FileSet.swift \
  'replaced: ReplacedFile(in: previous, name)' 'replaced: nil'
mutant 'a directory keeps its time' DownloadFiles/FileSet.swift \
  'if keepsTime {' 'if false {'
mutant 'a file does not replace a directory' DownloadFiles/FileSet.swift \
  'guard (old.kind == .directory) == (found.kind == .directory) else { throw .conflict(path + name) }' ''
mutant 'part files are in no set' DownloadFiles/FileSet.swift \
  'try allNames(directory, path).filter { !TargetName.isReserved($0) }' 'try allNames(directory, path)'
mutant 'what others add stays' DownloadFiles/FileSet+Retire.swift \
  '      } else {
        try FileTree.move(previous, name, to: name, in: next)' '      } else {
        try FileTree.remove(name, in: previous)'
mutant 'what users save stays' DownloadFiles/FileSet+Retire.swift \
  'known.map { $0.contains(key(path), status) } ?? (found != nil)' 'found != nil'
mutant 'what users remove stays removed' DownloadFiles/FileSet+Retire.swift \
  'if isKnown || found?.isSameFile(as: status) == true {' 'if found != nil, isKnown || found?.isSameFile(as: status) == true {'
mutant 'a killed publication is ended' CommandSets/NextSet.swift \
  'try removePrevious(endsRun: false)' ''
mutant 'an unfinished set is removed' CommandSets/NextSet.swift \
  'try place.tried { () throws(FileSet.Fault) in try FileSet.remove(SetPlace.set, in: place.stage) }
      try? SystemCalls' 'try? SystemCalls'
mutant 'a set is prepared by one run' DownloadFiles/FileLock.swift \
  '[ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL].contains(error.errno)' 'error.errno != 0'
mutant 'a set without new files is not published' CommandSets/NextSet.swift \
  'try FileSet.hasFiles(new.raw, finishedOnly: true)' 'true'
mutant 'files of another set are not published' CommandSets/NextSet.swift \
  'try FileSet.removeFiles(new.raw) { names.contains($0) }' 'true'
mutant 'a part of an unfinished set is none' CommandSets/NextSet.swift 'case .isPart: throw .isPart' 'case .isPart: return'
mutant 'a set is complete with what it lacked' CommandSets/NextSet.swift \
  'SetNames.isSubset(record.readMissing() ?? all, of: names.keys)' 'true'
mutant 'a mount point is refused' CommandSets/ExchangeProbe.swift \
  'if name.withUnsafeBufferPointer({ file_is_mount($0.baseAddress, $0.count, parent) }) == 1 { throw .isMountPoint }' ''
mutant 'what publication needs is tried first' CommandSets/NextSet.swift \
  '    try ExchangeProbe(
      parent: place.parent.raw, name: place.name, stage: place.stage, stagePath: place.stagePath, path: path
    ).run()
' ''

# The tests that run the program, from the package itself, with the program of the copy.
cp "$root/Package.swift" "$copy/"
hasTests=
notices() {
  (cd "$copy" && swift build --product swiftget > build.log 2>&1) || return 2
  [ -n "$hasTests" ] || swift build --build-tests > "$copy/build.log" 2>&1 || return 2
  hasTests=1
  SWIFTGET_BINARY=$copy/.build/debug/swiftget timeout 300 swift test --skip-build --filter "$tests" \
    > "$copy/test.log" 2>&1 || return 1
}

tests='Running lists from URLs|What lists from URLs may say'
mutant 'a list from a URL gives no header fields' DownloadLists/Reading/FetchedList.swift \
  'if !entry.headers.isEmpty { throw refused("header fields") }' ''
mutant 'only a list of the user gives an absolute directory' DownloadLists/Requests/RequestBuilder.swift \
  'if !mayLeave {' 'if !mayLeave, trust == .own {'
mutant 'a list from a URL gives no credentials' DownloadLists/Reading/FetchedList.swift \
  'if url.userinfo != nil { throw refused("a user name or password") }' ''
mutant 'an origin that only a list names gets no credentials' DownloadCore/Plan/CredentialScope.swift \
  'let isOfEntry = request.isNamedByUser &&' 'let isOfEntry ='
mutant 'a list is not limited as files are' CommandMain/Fetching/FetchRuns.swift 'settings.file.maxFilesize = mostBytes' ''
mutant 'a list with a coding that nobody reads is refused' DownloadLists/Fetching/ListFetch.swift \
  '!codings.contains(coding)' 'coding.isEmpty'
mutant 'nothing begins if a list is missing' DownloadLists/Fetching/ListFetch.swift \
  'throw .failures(failures)' ''
mutant 'a page of HTML is no list' DownloadLists/Reading/ListInput.swift \
  'if first == UInt8(ascii: "<") { throw Failure(.markup, of: name) }' ''

tests='Running lists in pages'
mutant 'pages are on one server' DownloadLists/Fetching/ListFetch.swift \
  ',
      found.origin == first.location.origin' ''
mutant 'no page is read twice' DownloadLists/Fetching/ListFetch.swift \
  'guard places.insert(location.text).inserted else { throw Self.stop(.repeatedPage, first) }' \
  'places.insert(location.text)'
mutant 'pages are limited' DownloadLists/Fetching/ListFetch.swift \
  'guard places.count <= Self.mostPages else' 'guard true else'
mutant 'a further page need not have all paths' DownloadJSON/JSONDocumentParser.swift \
  'if page != .further { try' 'do { try'

tests='Filling bags'
mutant 'the own files of a bag match its tag manifests' DownloadLists/Bags/BagInput.swift \
  'if isSound { try bag.requireIntactTags() }' ''
tests='Checking files'
mutant 'a length alone is no checksum' DownloadHashing/CheckResult.swift '? .unverified : .sizeOnly' '? .unverified : .verified'
mutant 'an unknown checksum is no missing one' DownloadHashing/CheckResult.swift 'request.hasUnknownDigest ? .uncomparable :' ''
tests='Lock files'
mutant 'a lock file with secrets is for its owner' DownloadEvents/LockRecorder.swift 'isPrivate: hasSecrets' 'isPrivate: false'
mutant 'a frozen file has its URL' DownloadLists/Requests/FrozenFiles.swift 'guard file.url == location.hashValue else {' \
  'guard file.url == location.hashValue || true else {'
mutant 'a lock file has one entry for a file' DownloadLists/Requests/FrozenFiles.swift 'if earlier.file == file { return }' 'return'
mutant 'a lock file of a shard is for the shard' DownloadLists/Requests/RequestReader.swift \
  'if shard.contains(wanted.request) { try frozen' 'do { try frozen'
mutant 'a frozen file has its content' DownloadLists/Requests/FrozenFiles.swift 'request.stated = stated' '_ = stated'
mutant 'a lock file has checksums' DownloadLists/Requests/FrozenFiles.swift 'guard !request.digests.isEmpty else {' \
  'guard !request.digests.isEmpty || true else {'
mutant 'a lock file has names in UTF-8' DownloadEvents/LockRecorder.swift 'unnamable = unnamable ?? outcome.name' ''
mutant 'a lock file has no queries of redirects' DownloadEvents/LockRecorder.swift 'servedBy.withoutQuery' 'servedBy.text'

tests='Lists of failed files'
mutant 'a list of failed files tells each failure where it belongs' DownloadEvents/FailedRecorder.swift \
  'reasons.text(item)' 'reasons.text(0)'
mutant 'a list of failed files trusts no origin of the network' DownloadEvents/FailedRecorder.swift \
  'isUntrusted: isUntrusted' 'isUntrusted: false'
mutant 'an entry can make its origins untrusted' DownloadLists/Requests/RequestBuilder.swift \
  '!isFetched && !entry.isUntrusted' '!isFetched'
mutant 'a list of failed files is private' DownloadEvents/FailedLines.swift 'isPrivate: true' 'isPrivate: false'
mutant 'a list of failed files in JSON Lines is private' DownloadEvents/FailedRecorder.swift \
  'isPrivate: true' 'isPrivate: false'
mutant 'a list of failed files has all lines of an entry' DownloadEvents/FailedRecorder.swift \
  'case .part(let listed, _): lines.add(listed, reason: Array("belongs to an entry above".utf8))' 'case .part: break'
mutant 'a list of failed files has each file once' DownloadLists/Requests/RequestList.swift \
  'case .part(let earlier): body(.part(listed, of: earlier))' 'case .part: body(.item(listed))'
tests='Forms of lists of failed files'
mutant 'a list of failed files has absolute names' DownloadListWriting/RequestLine.swift \
  'guard let path = entry.out, entry.outMayBeAbsolute,' 'guard let path = entry.out, false,'
mutant 'a list of failed files is made of lists of one format' DownloadEvents/FailedLines.swift \
  'return self.format == format' 'return true'
mutant 'a list of failed files is made of lists of lines' DownloadEvents/FailedLines.swift \
  'guard LineListParser.formats.contains(format) else { return nil }' ''
mutant 'a list of failed files means the same under its name' DownloadEvents/FailedLines.swift \
  'let names = [list.listName, name]' 'let names = [list.listName]'
mutant 'a list of failed files means the same under another name' DownloadEvents/FailedLines.swift \
  'let names = [list.listName, name]' 'let names = [name]'
mutant 'a list of failed files is detected' DownloadEvents/FailedLines.swift \
  'isOneFormat && beginning != nil' 'isOneFormat'
mutant 'a comment is no row of a table' DownloadEvents/FailedLines.swift \
  '[[], Self.heading].first' '[[]].first'
mutant 'a list of failed files says itself how it is read' DownloadLists/Reading/ListReading.swift \
  '.elementsEqual(beginning)' '.isEmpty'
tests='Lists of failed files'
mutant 'a list of failed files does not vouch for a list from a URL' DownloadEvents/FailedLines.swift \
  'guard !list.isFetched, let' 'guard let'
mutant 'a list of failed files tells what was left out' CommandMain/Records/RunRecords.swift \
  'recorder.doneItems.count != list.itemCount || hasRefused && recorder.wantsAll' \
  'recorder.doneItems.count != list.itemCount'
mutant 'a list of failed files has all checksums' DownloadLists/Requests/RequestList.swift \
  'wanted.request.stated = content' '_ = content'
mutant 'a list of failed files has none that was there' DownloadEvents/FailedRecorder.swift \
  'case .downloaded, .kept, .withdrawn: doneItems.insert(outcome.task.position)' \
  'case .downloaded, .withdrawn: doneItems.insert(outcome.task.position)
    case .kept: break'
mutant 'a list of failed files replaces no list' CommandMain/Records/RecordOptions.swift \
  'place.isSameFile(as: otherPlace)' 'place.path == otherPlace.path'
mutant 'a bag keeps its files and its payload' DownloadLists/Requests/RequestList.swift \
  'if let bag { for conflict in try ownFiles.conflicts(with: bag) { findings.add(conflict) } }' ''
mutant 'a file of the run is found in a bag behind links' DownloadLists/Files/FilePlace.swift \
  'RealPath.of(path) ?? RealPath.of(path[..<end] + [slash]).map { AbsolutePath.cleaned($0 + [slash] + name) }' \
  'RealPath.of(path)'
mutant 'a bag is found behind links' DownloadLists/Requests/OwnFiles.swift \
  '[place.path] + [place.behindLinks?.path].compactMap(\.self)' '[place.path]'
mutant 'a file that a tag manifest lists is one of the bag' DownloadLists/Bags/BagContents.swift \
  'return try tags.index(ofFile: name) != nil' 'return false'

tests='Files of the run itself'
mutant 'a file of the run is recognized by its directory' DownloadLists/Files/FilePlace.swift \
  'path == other.path || directory != nil && directory == other.directory' 'path == other.path'
mutant 'a log is not written before the targets are known' CommandMain/Fetching/RunLists.swift \
  'if findings.isLogTarget { messages.log?.abandon() }' ''
mutant 'no server suggests the name of a file of the run' DownloadEngine/Place/SuggestedNames.swift \
  'if taken.contains(name) { return false }' ''

tests='in the reason of a failure is not recorded'
mutant 'a list of failed files has no secrets of reasons' DownloadEvents/FailedRecorder.swift \
  'Redaction.words(error.message(in: vocabulary))' 'error.message(in: vocabulary)'
mutant 'a report has no secrets of errors' DownloadEvents/OutputKey.swift \
  'Redaction.words(message ?? failure.message(in: vocabulary))' 'message ?? failure.message(in: vocabulary)'

tests='Reports of a run'
mutant 'a report adds up the sizes of all files that are in place' DownloadEvents/ReportRecorder.swift \
  'case .downloaded, .kept: head.totals.totalByteCount += outcome.byteCount' \
  'case .downloaded: head.totals.totalByteCount += outcome.byteCount
    case .kept: break'
mutant 'a report has what interrupted items have received' CommandMain/Records/RunRecords.swift \
  'for outcome in end.unfinished { report?.itemEnded(outcome) }' ''
mutant 'a report that cannot be written is a failure' CommandMain/Records/RunRecords.swift \
  '        status.add(error, of: .records)
' ''
mutant 'a report knows what has begun' DownloadEvents/ReportRecorder.swift \
  'started.contains(task.position) ? .unfinished : .notStarted' '.notStarted'

tests='The status in a report'
mutant 'a report has the status after the last hook' CommandMain/Verbs/Download.swift \
  '    ExitHook.run(invocation, messages, error: error, &status)
    writeReport()' '    ExitHook.run(invocation, messages, error: error, &status)'

tests='a disk that fills up leaves a report'
mutant 'a report has what a full disk has stopped' DownloadEngine/Loop/ItemRunner+Ends.swift \
  'state.end.unfinished.append(
        outcome(of: item, .unfinished, byteCount: state.machine.done(of: item.handle).byteCount))' ''

tests='The log of a run'
mutant 'a log of JSON has no files that were there' CommandMain/Display/LoggedDisplay.swift \
  'level >= .details || outcome.result != .kept ?' 'true ?'
mutant 'a failure of a log is there at once' CommandMain/Display/LoggedDisplay.swift \
  'if case .failed = outcome.result { log.flush() }' ''

tests='Failures of a run'
mutant 'of many failures of one kind a few are shown' DownloadEvents/FailureTally.swift \
  'groups[index].count <= Self.mostPrinted' 'true'

tests='The recap of a large run'
mutant 'all failures of one kind are named at the end' DownloadEvents/FailureTally.swift \
  'others[index].append(name)' ''
mutant 'many failures are named above the counts' CommandMain/Display/Recap.swift \
  'guard hasManyNames, !isSingle else { return }' 'return;'
mutant 'causes are told below many names' CommandMain/Display/Recap.swift 'hasManyNames ? kinds :' ''

tests='Hooks'
mutant 'no hook runs for a file that was there' DownloadEvents/Hooks/Hooks.swift \
  'case .kept, .withdrawn, .unfinished: return' 'case .kept: event = .complete
    case .withdrawn, .unfinished: return'
mutant 'no hook starts after a signal' DownloadEvents/Hooks/Hooks.swift \
  'if !runner.waitUntilIdle(hearing: signals) { runner.dropWaiting() }' '_ = runner.waitUntilIdle(hearing: signals)'
mutant 'of many hooks that fail a few are told' DownloadEvents/Hooks/HookQueue.swift \
  'guard count <= Self.mostTold else { return }' ''
mutant 'a hook gets no queries of redirects' DownloadEvents/Hooks/HookVariables.swift \
  'outcome.transfers.servedBy?.withoutQuery' 'outcome.transfers.servedBy?.text'
mutant 'a hook of the end that fails makes a failure' CommandMain/Unattended/ExitHook.swift \
  'if queue.tally.failedCount > 0 { status.add(.other, of: .exitHook) }' ''

tests='A random wait before a run'
mutant 'a deadline ends the wait before a run' CommandMain/Unattended/Splay.swift 'deadline?.hasPassed ?? false' 'false'

tests='Lists in shards|Runs of shards|Wrong lines of lists'
mutant 'a wrong command line starts nothing' DownloadLists/Requests/ListFindings.swift 'if !isOfList { mayGoOn = false }' ''
mutant 'of different files with one name none is downloaded' DownloadLists/Requests/CollisionCheck.swift \
  'leaveOut(earlier, of: request)' ''

tests='Wrong lines of lists'
mutant 'a list of failed files that lacks entries is told' CommandMain/Records/RunRecords.swift \
  'if hasRefused, !failed.hasRefused {' 'if hasRefused, !failed.hasRefused, bag != nil {'

tests='Standing options|A configuration'
mutant 'a line of a host sets what can be chosen for it' CommandOptions/Standing/ConfigurationParser.swift \
  'if isOfHost, !spec.isForHosts {' 'if isOfHost, line.isEmpty {'
mutant 'a header line replaces those that count less' CommandOptions/Table/InvocationBuilder.swift \
  'invocation.settings.transport.headers.prefix(inheritedHeaderCount)).without([line])' \
  'invocation.settings.transport.headers.prefix(inheritedHeaderCount))'
mutant 'the command line counts more than a host' CommandOptions/Table/InvocationBuilder.swift \
  'if level != .file { invocation.settings.transport.hosts.overrideUser() }' ''
mutant 'an error tells where its option stands' CommandOptions/Values/StandingPlaces.swift \
  '.compactMap(\.self) + found' '.compactMap(\.self)'
mutant 'an option of the command line stands nowhere else' CommandOptions/Table/InvocationBuilder.swift \
  'if level == .commandLine {
      invocation.standing.remove(option)' 'if level == .commandLine {'
mutant 'a format that stands for every run needs no log' CommandOptions/Parsing/InvocationParser.swift \
  'ofLine.unmet(by' 'all.unmet(by'

tests='Rules of options'
mutant 'what means nothing to a kind of run is refused' CommandOptions/Parsing/InvocationParser.swift \
  ' + ofLine.meaningless(for: invocation.work)' ''
mutant 'what the configuration has for other kinds of runs is passed over' CommandOptions/Parsing/InvocationParser.swift \
  'ofLine.contradicted.union(meaningless)' 'ofLine.contradicted'
mutant 'a flag takes back what it has set only' CommandOptions/Table/OptionEffect.swift \
  'if builder.invocation[keyPath: path()] == value {' 'do {'
mutant 'what is taken back is not given' CommandOptions/Parsing/GivenOptions.swift \
  'case .takenBack(let spec, _): spellings[spec.id] = nil' 'case .takenBack: break'
mutant 'a default is not given' CommandOptions/Parsing/GivenOptions.swift 'spec.isDefault(argument) ? nil : ' ''
mutant 'a session keeps no pipe' CommandOptions/Standing/OptionFinding+Session.swift \
  'if let status = stat(of: path), ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) { return nil }' ''
mutant 'a session keeps no password of a certificate' CommandOptions/Standing/OptionFinding+Session.swift \
  'guard spec.id == .cert else' 'guard spec.id == .cert, false else'
mutant 'a session keeps neither hooks nor the log' CommandOptions/Standing/OptionFinding+Session.swift \
  'spec.scope == .session' 'spec.isOfWorker'
mutant 'what is given again replaces what a session keeps' CommandOptions/Parsing/WorkerParser.swift \
  'try kept.filter { !isGivenAgain($0) }' 'try kept'
mutant 'what a session keeps means the same in its order only' CommandOptions/Parsing/WorkerParser.swift \
  'given(except: isSame ? lines : [])' 'given(except: lines)'
mutant 'headers that are taken back do not come from a host' CommandOptions/Table/InvocationBuilder.swift \
  'rules[index].settings.headers = []' '_ = index'

tests='Asking servers'
mutant 'a log has dead URLs' CommandMain/Spider/SpiderDisplay.swift 'if isDead || isVerbose { log(outcome) }' ''

tests='Refusals and redirects'
mutant 'a redirect waits as it says' DownloadCore/Machines/Files/FileMachine+Endings.swift \
  'let wait = settings.retries.wait(for: retryAfter), wait > .zero' 'let wait = settings.retries.wait(for: retryAfter), wait < .zero'
mutant 'a fresh redirect that is refused is final' DownloadCore/Machines/Mirrors/Redirects.swift \
  'asked != original && (asked != location || hasAnswered)' 'asked != original'
mutant 'a host that forbids everything is asked for a few steps' DownloadCore/Machines/Run/RunMachine.swift \
  'if case .rateLimited = fault, !host' 'if case .rateLimited = fault, false, !host'

tests='Passwords of netrc files'
mutant 'a machine gets its password over TLS' DownloadCore/Plan/Secrets.swift \
  'guard origin.scheme.isEncrypted else { return nil }' ''
mutant 'a netrc file that is wrong starts nothing' CommandMain/Logins/NetrcFiles.swift \
  'throw Failure(
          .usage, "\(option): \(NamedFiles.shown(path)), line \(error.line): \(what)", hint: hint, about: [option])' \
  '_ = (what, hint)'
mutant 'a netrc file is read once' CommandMain/Logins/NetrcFiles.swift ' where files[place] == nil' ''
mutant 'a netrc file that an option names exists' CommandMain/Logins/NetrcFiles.swift \
  'mayLack: place == .usual' 'mayLack: true'
mutant 'a home that is no directory has no netrc file' CommandMain/Logins/NetrcFiles.swift ', .failed(ENOTDIR) where mayLack' ''

tests='A signed list|A list with an OpenPGP signature'
mutant 'only the signed text is a list' DownloadLists/Files/ListVerifier.swift \
  'file: list, start: start, signature' 'file: list, start: 0, signature'
mutant 'the list is the text that gpgv gives' DownloadLists/Files/ListVerifier.swift \
  'VerifiedList(file: text, start: 0' 'VerifiedList(file: list, start: 0'
mutant 'the name tells that a signature is from minisign' DownloadLists/Files/SignatureFile.swift \
  'name.suffix(8).elementsEqual(".minisig".utf8)' 'false'

tests='Filling bags|Checking bags|A bag with many files'
mutant 'what cannot be stored for a while ends the run' DownloadLists/Files/TemporaryStores+Errors.swift \
  'if let failure { throw LocalFileMessages.error(ofTemporaryFile: failure) }' ''
mutant 'the first line with a URL for a file is told' DownloadLists/Bags/BagFetchReader.swift \
  'if !firstLines.isEmpty { firstLines[file] = UInt32(clamping: line.lineNumber) }' ''
mutant 'every manifest of a bag lists every file' DownloadLists/Bags/BagContents.swift \
  'guard version.requiresWholeManifests, problems.isEmpty, !payload.areInAllManifests else { return }' 'return'
mutant 'a bag has one manifest for an algorithm' DownloadLists/Bags/BagContents.swift \
  '$0.algorithm != nil && $0.algorithm == manifest.algorithm' '$0.algorithm == nil && $0.algorithm == manifest.algorithm'
mutant 'a bag has one Payload-Oxum' DownloadLists/Bags/BagContents.swift \
  'known.oxum != element.oxum {' 'known.oxum.byteCount < 0 {'
mutant 'a manifest of a bag is a file' DownloadLists/Bags/BagContents.swift \
  'guard let obstacle = entry.obstacle else {' 'guard let obstacle = entry.obstacle, entry.name.isEmpty else {'
mutant 'a bag has a manifest that can be checked' DownloadLists/Bags/BagContents.swift \
  'manifests.isEmpty || manifests.allSatisfy({ $0.algorithm == nil })' 'manifests.isEmpty'

tests='Names from servers and URLs'
mutant 'a template cannot name an absolute path' DownloadLists/Values/OutputTemplate.swift \
  'Array(path.drop { $0 == UInt8(ascii: "/") })' 'path'
mutant 'a template without a field is refused' DownloadLists/Values/OutputTemplate.swift \
  'if placeholders.isEmpty, columns.isEmpty { throw .noField }' ''
mutant 'a name from an answer is one from the network' DownloadEngine/Storage/ActiveItem.swift \
  'request.isNamedByNetwork = true' ''
mutant 'an unfinished file of another URL is not replaced under a name from the network' DownloadEngine/Loop/Admission+Beginning.swift \
  'if item.request.isNamedByNetwork, !record.isOf' 'if item.request.isNamedByNetwork, record.url.isEmpty, !record.isOf'

tests='A finished list'
mutant 'a list that has changed is read' DownloadLists/Values/DecidingInputs.swift \
  '\(status.st_dev) \(status.st_ino) \(status.st_size) \(times)' '\(status.st_dev)'
mutant 'another command reads the list' CommandMain/Records/ListIndex.swift \
  'texts + Command.processArguments' 'texts'
mutant 'what tells of each file reads the list' CommandMain/Records/ListIndex.swift \
  'invocation.display.verbosity == 0,' ''

tests='Inputs that decide about a run|Inputs of a finished run'
mutant 'a list is an input of its run' DownloadLists/Files/ListFile.swift \
  'if isStandardInput { inputs.noteOther() } else { inputs.note(file: path) }' 'if isStandardInput { inputs.noteOther() }'
mutant 'the standard input is no file' DownloadLists/Files/ListFile.swift \
  'if isStandardInput { inputs.noteOther() } else { inputs.note(file: path) }' 'inputs.note(file: path)'
mutant 'keys and signatures are inputs' DownloadLists/Files/SmallFiles.swift 'inputs?.note(file: path)' ''

tests='A command that judges files'
mutant 'a command that writes to a file is noticed' DownloadEngine/Loop/ItemRunner+Decisions.swift \
  'case .content: judgement = .rejected(Failure(.changedByJudge))' 'case .content: judgement = .accepted'
mutant 'a file that a command has touched is hashed again' DownloadEngine/Loop/ItemRunner+Decisions.swift \
  'case .metadata: judgement = .touched' 'case .metadata: judgement = .accepted'

tests='A file that a hook has|Hooks'
mutant 'a hook that restores the time takes the mark' DownloadEvents/Hooks/HookedFile.swift \
  'return currentDigest(digest.algorithm) != digest' 'return false'
mutant 'a hook that only touches a file leaves its mark' DownloadEvents/Hooks/HookedFile.swift \
  'return currentDigest(digest.algorithm) != digest' 'return true'
mutant 'the file of a hook is looked at again' DownloadEvents/Hooks/HookQueue.swift \
  'if !path.isEmpty { hook.file' 'if path.isEmpty { hook.file'

tests='Records and hooks of a session'
mutant 'the hook of a task counts more than that of the run' DownloadEvents/Hooks/HookQueue.swift \
  'tag.command ?? commands[tag.event]' 'commands[tag.event] ?? tag.command'

tests='The end of a command that works on a session'
mutant 'a session that another process has stopped is not begun again' CommandControl/SessionWork.swift \
  'if own.session?.isEnding == true {' 'if false {'
mutant 'what was stopped does not continue in the background' CommandControl/SessionWork.swift \
  'return !isStopped && session.isToContinue' 'return session.isToContinue'
mutant 'files of ctl add start no process' SwiftGet/Named/WorkingSession.swift \
  '$0.ending.continuation == .wanted && ' ''
mutant 'a client is told that the work was stopped' SwiftGet/Control/ControlService.swift \
  'if isStopped {' 'if false {'

tests='Files that appear together'
mutant 'files of the previous set are known' DownloadEngine/Workers/Inspection.swift \
  'guard existing == .absent, let previous else' 'guard existing == .absent, let previous, place.name.isEmpty else'
mutant 'a set with a failure is not published' CommandMain/Atomic/SetPublication.swift \
  'guard mayPublish, signals' 'guard signals'
mutant 'hooks of files that nobody sees do not run' DownloadEvents/Hooks/Hooks.swift \
  'if !isPublished { queue.drop(.complete) }' ''
mutant 'hooks of files that appear together wait for them' DownloadEvents/Hooks/Hooks.swift \
  'deferredCount = naming.isAtomic ? 0 : nil' 'deferredCount = nil'
mutant 'an absolute directory is in no set' DownloadLists/Requests/RequestBuilder.swift \
  'if naming.isAtomic {' 'if naming.isAtomic, directory.isEmpty {'
mutant 'only what left the list is left out' CommandSets/PublishedFiles.swift \
  '!names.contains(path), earlier' 'earlier'

tests='Two names of one file'
mutant 'directories are compared by what they are' DownloadLists/Requests/TargetPlaces.swift \
  'return Array("\(status.st_dev):\(status.st_ino)".utf8)' 'return path'
mutant 'a file system is asked about names that are alike' DownloadLists/Requests/CollisionCheck.swift \
  'places.folds(request),' '!places.folds(request),'

tests='Output to a descriptor'
mutant 'a list names no descriptor' DownloadLists/Requests/RequestBuilder.swift \
  'guard DescriptorPath.descriptor(of: path) == nil else {' 'guard DescriptorPath.descriptor(of: path) != -1 else {'
mutant 'a link to a device is not replaced' DownloadEngine/Place/ExistingTarget+Found.swift \
  'if self == .specialLink { throw Failure(.targetTaken(by: .symbolicLink)) }' ''

# The same again, for what runs in the process of tests.
notices() { own_tests; }

package DownloadStoreTests
mutant 'the last rank is known until something else changes' DownloadStore/StoreTables.swift \
  'let rankBefore = lastRank.take()' 'let rankBefore = lastRank'

package SwiftGetTests
tests='The calls of a client'
mutant 'calls are obeyed one after the other' SwiftGet/Control/CallQueue.swift 'await endBefore?()' ''
mutant 'only the next call is prepared' SwiftGet/Control/CallQueue.swift 'await turnBefore?()' ''

tests='Commands to a session'
mutant 'a file waits for others that come before it and are looked at' DownloadEngine/Loop/Admission.swift \
  'after: inspector.items, others' 'after: others, []'
mutant 'files that were looked at get places in the order of work' DownloadEngine/Loop/Admission.swift \
  'let waiting = state.queue.inOrder(awaitingPlaces, by: \.item)' 'let waiting = awaitingPlaces'

tests='Renaming'
mutant 'unfinished bytes are not renamed beside a file' DownloadFiles/TargetRenaming.swift \
  'try require(free: [new.name, new.partName, new.sidecarName], in: new.directory)' ''
mutant 'only the file of the task is renamed' DownloadFiles/TargetRenaming.swift \
  'guard isThere else { throw .otherFile }' ''
mutant 'a task whose name is taken keeps its own' SwiftGet/State/SessionState+Renaming.swift \
  'guard answer == .done else' 'guard answer != .active else'

package CommandSetsTests swiftget
mutant 'what was replaced is older than what a user saves' DownloadFiles/FileSet+Retire.swift 'if !isBefore, (' 'if ('

package DownloadFilesTests
tests='Stream target'
mutant 'a descriptor of the program itself is none of the user' DownloadFiles/StreamTarget.swift \
  'number <= STDERR_FILENO || flags & FD_CLOEXEC == 0' 'true'

tests='Holder of a target'
mutant 'a target without a lock is held by one of this process' DownloadFiles/OpenTargets.swift \
  'guard Self.all.withLock({ $0.insert(file).inserted }) else { return nil }' \
  '_ = Self.all.withLock { $0.insert(file) }'

tests='Directory snapshot'
mutant 'a listing is not believed where case does not count' DownloadFiles/DirectorySnapshot.swift \
  '?? true
    {
      return nil' '?? true
    {
      return listing'

package DownloadEngineTests
tests='after a failed sync'
mutant 'a failed sync of the whole file takes its record back' DownloadFiles/Publisher.swift \
  'sidecar?.keepSyncedOnly(after: error)' ''
mutant 'a failed sync takes the record back' DownloadEngine/Workers/StorageWorker.swift \
  'sidecar.keepSyncedOnly(after: error)' ''

tests='The runtime that engines share|A worker of several engines'
mutant 'an engine that has gone gets no answers' DownloadEngine/Workers/StorageWorker.swift \
  'if !client.isGone.isSet { take(job, client, &groups, &answers) }' 'take(job, client, &groups, &answers)'
mutant 'an engine of a smaller share does less' DownloadEngine/Loop/EngineLoop+Settings.swift \
  '    use(wanted)
  }' '  }'

tests='An item.s storage|Outstanding writes'
mutant 'bytes that are being written are written by one transfer' DownloadEngine/Storage/ItemStorage.swift \
  ', !outstanding.overlap(range)' ''
mutant 'no record that waits follows a discard' DownloadEngine/Storage/ItemStorage.swift \
  'wait for writes.
    records.takeBack()' 'wait for writes.'
mutant 'the loop writes nothing beside the writer' DownloadEngine/Storage/ItemStorage.swift \
  'outstanding.isEmpty && !usesWriter' '!usesWriter'
mutant 'the loop writes what is partly there' DownloadEngine/Storage/ItemStorage.swift \
  'writer.isSlow && !done.overlaps(range)' 'writer.isSlow'
mutant 'a writer has few blocks of one transfer' DownloadEngine/Storage/ItemStorage.swift \
  'outstanding.count(of: transfer) < limit, ' ''
mutant 'bytes of a transfer that was stopped count for nothing' DownloadEngine/Storage/ItemStorage.swift \
  'guard isWanted(answered.transfer) else { return nil }' ''
mutant 'a file that was given up gets no more bytes' DownloadEngine/Storage/ItemStorage.swift 'outstanding.voidAll()' ''
mutant 'jobs come after all writes' DownloadEngine/Storage/ItemStorage.swift \
  'guard !outstanding.isEmpty else { return thread.post(job) }' 'return thread.post(job)'

tests='The engine'
mutant 'files that were inspected heed the limit of files' DownloadEngine/Loop/Admission+Beginning.swift \
  'if treatment.asksServers, !mayTakePlace' 'if false, treatment.asksServers, !mayTakePlace'
mutant 'files that were hashed heed the limit of files' DownloadEngine/Loop/Admission.swift \
  'guard mayTakePlace(item.handle' 'guard true || mayTakePlace(item.handle'

tests='The hash worker'
mutant 'the backlog is reduced before an answer' DownloadEngine/Workers/HashDesk.swift \
  '    client.backlog.add(-batch.reduce(0) { $0 + $1.file.body.count })
    // Before the storage thread answers: what is recorded must be known when the file has its name.
    client.replies.post(answers)
    if !staged.isEmpty { storage.post(.name(staged)) }
' '    client.replies.post(answers)
    if !staged.isEmpty { storage.post(.name(staged)) }
    client.backlog.add(-batch.reduce(0) { $0 + $1.file.body.count })
'

tests='Answers that wait for files'
mutant 'an answer waits for files that were taken back before' DownloadEngine/Loop/FileReleases.swift \
  'tasksOfOrder.formUnion(jobCounts.keys.filter(isNamed))' ''

tests='Commands to an engine|An engine.s thread'
mutant 'an answer waits until the files are released' DownloadEngine/Loop/FileReleases.swift \
  'if tasksOfOrder.isEmpty { return answer(answers) }' 'return answer(answers)'

tests='Leftovers'
mutant 'the record of another URL stays until an answer agrees' DownloadEngine/Storage/ItemStorage.swift \
  'keepsFormerRecord = isOfOtherURL' 'keepsFormerRecord = false'

package CommandTests swiftget

tests='Runs with a session'
mutant 'a service that starts waits for a command' SwiftGet/Named/OpenSessions.swift \
  'role != .working || !isListening(place)' 'role != .working'

tests='Requests of lists'
mutant 'a file and a directory of one name are refused' DownloadLists/Requests/CollisionCheck.swift \
  'if other.isDirectory {' 'if other.isDirectory, other.item < 0 {'
mutant 'a directory and a file of one name are refused' DownloadLists/Requests/CollisionCheck.swift \
  'if try refuseFile(at: directories,' 'if try refuseFile(at: [],'
mutant 'plain entries are compared with files of the run' DownloadLists/Requests/RequestList.swift \
  '!mayBeOwn(entry.name)' 'true'

tests='is its events where JSON is wanted'
mutant 'a warning of a log is there at once' CommandMain/Display/LoggedDisplay.swift \
  'if notice.level == .warning { log.flush() }' ''

tests='Writing to descriptors'
mutant 'a long text ends for a reader that is stuck' CommandMain/Process/Output.swift \
  'but: count, within: .milliseconds(limit)' 'but: count'

tests='Lists in shards'
mutant 'a shard has its own files only' DownloadLists/Requests/ItemSelection.swift \
  '!leftOut.contains(request.task.position) && shard.contains(request)' '!leftOut.contains(request.task.position)'
mutant 'a list of failed files has those of the shard' DownloadLists/Requests/RequestList.swift \
  'if isPassed(item) || !shard.contains(wanted.request) { continue }' 'if isPassed(item) { continue }'

tests='Requests with one target'
mutant 'a further line adds what it says' DownloadLists/Requests/CollisionCheck.swift \
  'if content != known { try merged.set(other.item, content) }' ''
mutant 'a further line is compared with all before' DownloadLists/Requests/CollisionCheck.swift \
  'try merged.content(of: other.item) ?? other.content' 'other.content'
mutant 'lines with one name lead to one place' DownloadLists/Requests/CollisionCheck.swift \
  'guard other.sources == wanted.sources else' 'guard other.sources == wanted.sources || other.item >= 0 else'

tests='Requests with one target|A set of items'
mutant 'numbers of items are sorted in' DownloadLists/Requests/ItemNumbers.swift \
  'while source > 0, items[source - 1] > item {' 'while source > 1, items[source - 1] > item {'

tests='Standing options'
mutant 'what a single run does cannot stand in a file' CommandOptions/Standing/ConfigurationParser.swift \
  'guard !spec.isOfOneRun else {' 'guard !line.isEmpty else {'

tests='Stored requests'
mutant 'a damaged request is not read' DownloadLists/Requests/StoredRequests.swift 'if head == Self.head(of: text), let' 'if let'
mutant 'a stored request has a URL' DownloadLists/Requests/FileRequest+Stored.swift ', !request.mirrors.isEmpty' ''

tests='Inputs that decide about a run'
mutant 'what a bag may have is an input' DownloadLists/Bags/BagContents.swift '    inputs.note(file: path)
' ''
mutant 'whether a list is in a bag is an input' DownloadLists/Requests/BagChoice.swift 'inputs.note(file: path)' ''
mutant 'a variable is an input' DownloadLists/Values/DecidingInputs.swift \
  '      note(variable: name)' ''
mutant 'a pipe is not compared' DownloadLists/Values/DecidingInputs.swift \
  'guard [S_IFREG, S_IFDIR].contains(status.type) else { return nil }' ''

finish
