internal import CHiredis

/// hiredis as it was built against.
package enum HiredisLibrary {
  package static var version: String { "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)" }
}
