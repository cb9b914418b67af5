/// Identifies an option. The table has exactly one row for each, and a `Setting` the name of its option.
package enum OptionID: String, Sendable, CaseIterable {
  case inputFile, baseURL, inputFormat, columns, urlTemplate, urlScheme
  case metalinkLanguage, metalinkOS, metalinkLocation
  case verifySignature, signature
  case dir, output, checksum, mirror, include, exclude, stripComponents, basename, glob
  case shard, keepGoing, dryRun, spider
  case nameFrom, contentDisposition, forceDirectories, noHostDirectories, cutDirs, outputTemplate
  case jobs, connections, minSplitSize, maxConnectionsPerHost, limitRate, limitRatePerFile, limitRequests
  case tries, retryWait, timeout, connectTimeout, maxTime, maxFilesize, maxRedirect, maxFailures
  case ifExists, timestamping, noResume, resume, trustLength, allowUnconfirmed, acceptHTML, acceptStatus
  case allowAbsolute, inPlace
  case compressed, atomic, prune, noSync, noRemoteTime
  case lock, frozen, failed
  case header, user, password, netrc, netrcFile, noNetrc, userAgent, referer, loadCookies, saveCookies
  case cacert, capath, cert, key, insecure, httpsOnly, proxy, proxyCacert, proxyInsecure, noProxy
  case http1, http2, ipv4, ipv6, interface, resolve
  case changedExit, deadline, splay, lockWait, onComplete, onFailure, onExit, hookTimeout, verifyCommand, notify
  case check, strict, writeManifest, algorithm
  case session, sessionDir, serve, background, group, priority, paused, untilSettled
  case quiet, verbose, progress, color, log, logFormat, report, config, noConfig, help, version, generate
}
