internal import CMicrohttpd

/// libmicrohttpd as it runs.
package enum MicrohttpdLibrary {
  package static var version: String { unsafe String(cString: MHD_get_version()) }
}
