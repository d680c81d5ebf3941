import PushSettings
import Testing

@Suite struct SettingInfoTests {
  @Test func `the reference names every key once, with default and variable`() {
    let all = SettingInfo.all
    #expect(Set(all.map(\.key)).count == all.count)
    let workers = all.first { $0.key == "workers" }
    #expect(workers?.defaultValue == "256" && workers?.environmentVariable == "ALLIM_WORKERS")
    let topic = all.first { $0.key == "apps.*.apns.topic" }
    #expect(topic?.environmentVariable == "ALLIM_APPS_<NAME>_APNS_TOPIC")
    #expect(all.first { $0.key == "retry.apns.quick" }?.defaultValue == "[1s, 5s]")
    #expect(all.first { $0.key == "ping.fcm" }?.defaultValue == "off")
    #expect(all.allSatisfy { !$0.meaning.isEmpty && !$0.allowed.isEmpty })
  }
}
