/// An ordinary chat message to one device, as chat servers push it; every item has the same size.
struct SampleEvent {
  static let itemBytes = 581

  /// Names the event, its message and its device.
  let number: Int
  /// UNIX seconds.
  let sentAt: Int64

  /// The device token in hex, as the simulator will see it.
  var token: String { Self.padded(String(number, radix: 16), to: 64) }

  var item: [UInt8] {
    let head = """
      {"v":1,"id":"bench-\(Self.padded(String(number), to: 10))","type":"message","app":"chat",\
      "room":{"id":42,"name":"Lunch"},"sender":{"id":7,"name":"Mina",\
      "image":"https://img.example.com/users/7/small.png"},\
      "message":{"id":\(1_000_000_000 + number),"text":"
      """
    let tail = """
      "},"sentAt":\(sentAt),"badge":3,"data":{"lastReadChatId":99,"mention":true},\
      "devices":[{"platform":"ios","provider":"apns","environment":"production",\
      "token":"\(token)","id":"device-1"}]}
      """
    let missing = Self.itemBytes - head.utf8.count - tail.utf8.count
    return Array(head.utf8) + Self.words.prefix(missing) + Array(tail.utf8)
  }

  private static let words = [UInt8](
    String(repeating: "Shall we try the noodle place at noon, or is it too far? ", count: 6).utf8)

  private static func padded(_ digits: String, to count: Int) -> String {
    String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
