import PushSettings
import Testing

@Suite struct EmbeddedRedisTests {
  @Test func `no configuration at all means the embedded Redis`() throws {
    let loaded = try SettingsFolder().load(environment: ["PATH": "/bin"]).get()
    #expect(loaded.usesEmbeddedRedis && loaded.settings.redis.url == nil && loaded.file == nil)
  }

  @Test func `the word embedded asks for it`() throws {
    let loaded = try SettingsFolder("redis: {url: embedded}").load().get()
    #expect(loaded.usesEmbeddedRedis && loaded.settings.redis.url == nil)
  }

  @Test func `a file or a variable without a URL is a problem for a worker alone`() throws {
    let missing =
      "redis.url: missing; allowed: redis://, rediss://, unix:///…, sentinel:// or cluster:// URL, "
      + "or embedded"
    let folder = SettingsFolder("workers: 3")
    #expect(folder.problems() == ["allim.yaml: " + missing])
    #expect(SettingsFolder().problems(environment: ["ALLIM_WORKERS": "3"]) == [missing])
    let loaded = try folder.load(isForWorker: false).get()
    #expect(loaded.settings.redis.url == nil && !loaded.usesEmbeddedRedis)
  }
}
