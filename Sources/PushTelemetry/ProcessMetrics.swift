internal import Glibc
internal import SharedState

/// The `process_*` metrics that every Prometheus client has, from /proc and getrusage.
package enum ProcessMetrics {
  package static func register(in registry: MetricRegistry) {
    let start = Double(SystemClock().wall()) / 1_000
    registry.gauge("process_start_time_seconds", help: "Start of the process, UNIX time.") {
      start
    }
    registry.counter("process_cpu_seconds", help: "CPU time used, user and system.") {
      cpuSeconds()
    }
    registry.gauge("process_resident_memory_bytes", help: "Resident memory.") {
      pages(field: 1).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) }
    }
    registry.gauge("process_open_fds", help: "Open file descriptors.") { openDescriptors() }
    registry.gauge("process_max_fds", help: "Limit of open file descriptors.") {
      var limit = rlimit()
      guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
        return nil
      }
      return Double(limit.rlim_cur)
    }
  }

  private static func cpuSeconds() -> Double {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    let micros = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return Double(seconds) + Double(micros) / 1e6
  }

  private static func pages(field: Int) -> Double? {
    let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var line = [UInt8](repeating: 0, count: 128)
    let length = unsafe read(file, &line, line.count)
    let fields = String(decoding: line.prefix(max(0, length)), as: UTF8.self).split(separator: " ")
    return fields.count > field ? Double(fields[field]) : nil
  }

  private static func openDescriptors() -> Double? {
    guard let directory = unsafe opendir("/proc/self/fd") else { return nil }
    defer { unsafe closedir(directory) }
    var count = 0.0
    while unsafe readdir(directory) != nil { count += 1 }
    return count - 3  // ".", "..", and the directory that is being read
  }
}
