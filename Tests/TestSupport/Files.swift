internal import Glibc

/// Writes a file; a fault stops the test.
package func write(_ bytes: [UInt8], to path: String) {
  let file = unsafe fopen(path, "w")
  precondition(unsafe file != nil, "cannot write \(path)")
  unsafe fwrite(bytes, 1, bytes.count, file)
  unsafe fclose(file)
}

/// Reads a file; nil when there is none.
package func read(_ path: String) -> [UInt8]? {
  guard let file = unsafe fopen(path, "r") else { return nil }
  defer { unsafe fclose(file) }
  var all: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = unsafe fread(&part, 1, part.count, file)
    if count == 0 { return all }
    all += part[..<count]
  }
}

/// Entries of a folder; 0 when there is none.
package func count(of folder: String) -> Int {
  guard let directory = unsafe opendir(folder) else { return 0 }
  defer { unsafe closedir(directory) }
  var count = -2  // "." and ".."
  while unsafe readdir(directory) != nil { count += 1 }
  return count
}

/// Makes a folder; one that is there stays.
package func makeFolder(_ path: String) { unsafe mkdir(path, 0o755) }
