internal import CLibuv

/// libuv as it runs.
package enum UVLibrary {
  package static var version: String { unsafe String(cString: uv_version_string()) }
}
