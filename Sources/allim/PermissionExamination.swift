internal import PushQueue
internal import RedisClient

/// Whether our user may do what a worker and the verbs do.
///
/// Redis 7 tells a script what its user may do without doing it, which needs no right of its own,
/// unlike ACL DRYRUN. Before it, each command is tried in a form that changes nothing that stays.
struct PermissionExamination {
  private let subject: String
  private let client: RedisClient
  private let keys: QueueKeys

  init(_ subject: String, _ client: RedisClient, _ keys: QueueKeys) {
    self.subject = subject
    self.client = client
    self.keys = keys
  }

  /// Commands that are refused; nil when this cannot be asked.
  func missing() async -> [String]? {
    guard let words = await answer().array else { return nil }
    return Set(words.compactMap(\.text)).sorted()
  }

  private func answer() async -> RedisReply {
    await client.call(ScriptCall(Self.script, keys: [keys.ready, keys.prefix + ":doctor"]))
  }

  /// KEYS: the list, a companion's name that nobody uses. Returns the words of what is refused.
  private static let script = RedisScript(
    """
    local missing = {}
    local function note(name, allowed)
      if not allowed then missing[#missing + 1] = name end
    end
    local wants = {
      {'BLMOVE', KEYS[1], KEYS[1], 'LEFT', 'LEFT', '1'}, {'LPOP', KEYS[1]},
      {'RPUSH', KEYS[1], 'x'}, {'LPUSH', KEYS[1], 'x'}, {'LLEN', KEYS[1]},
      {'LRANGE', KEYS[1], '0', '0'}, {'LINDEX', KEYS[1], '0'}, {'LREM', KEYS[2], '1', 'x'},
      {'LTRIM', KEYS[2], '0', '0'}, {'HSET', KEYS[2], 'f', 'v'}, {'HDEL', KEYS[2], 'f'},
      {'HGET', KEYS[2], 'f'}, {'HMGET', KEYS[2], 'f'}, {'HGETALL', KEYS[2]}, {'HKEYS', KEYS[2]},
      {'HLEN', KEYS[2]}, {'HEXISTS', KEYS[2], 'f'}, {'HINCRBY', KEYS[2], 'f', '1'},
      {'ZADD', KEYS[2], '1', 'm'}, {'ZREM', KEYS[2], 'm'}, {'ZSCORE', KEYS[2], 'm'},
      {'ZCARD', KEYS[2]}, {'ZCOUNT', KEYS[2], '0', '1'}, {'ZRANGE', KEYS[2], '0', '0'},
      {'ZRANGEBYSCORE', KEYS[2], '0', '1'}, {'EXISTS', KEYS[2]}, {'DEL', KEYS[2]}, {'TIME'},
    }
    if redis.acl_check_cmd then
      wants[#wants + 1] = {'XADD', KEYS[2], '*', 'f', 'v'}
      wants[#wants + 1] = {'EVALSHA', 'x', '1', KEYS[2]}
      for _, want in ipairs(wants) do note(want[1], redis.acl_check_cmd(unpack(want))) end
      return missing
    end
    redis.call('DEL', KEYS[2])
    for _, want in ipairs(wants) do
      if want[1] == 'HSET' or want[1] == 'ZADD' or want[1] == 'HINCRBY' then
        redis.pcall('DEL', KEYS[2])
      end
      if want[2] ~= KEYS[1] or want[1] == 'LLEN' or want[1] == 'LINDEX' then
        local answer = redis.pcall(unpack(want))
        note(want[1], type(answer) ~= 'table' or not answer.err
          or not (string.find(answer.err, 'NOPERM', 1, true)
            or string.find(answer.err, 'this user has no permissions', 1, true)
            or string.find(answer.err, 'can\\'t run this command', 1, true)))
      end
    end
    redis.pcall('DEL', KEYS[2])
    return missing
    """)

  private static let remedy = "give the user of redis.url what deploy/redis.acl lists"

  func findings() async -> [Finding] {
    let remedy = Self.remedy
    let reply = await answer()
    if case .error(let error) = reply {
      guard error.code == .noPermission else {
        return [.error(subject, "permissions cannot be read: \(error.detail)", remedy)]
      }
      return [.error(subject, "the user may not run scripts on its keys: \(error.detail)", remedy)]
    }
    let missing = Set(reply.array?.compactMap(\.text) ?? []).sorted()
    if missing.isEmpty { return await optional() }
    let words = missing.joined(separator: " ")
    return [.error(subject, "the user may not call \(words) on the queue's keys", remedy)]
  }

  /// Commands that help, and whose refusal is survived.
  private func optional() async -> [Finding] {
    guard case .sentinel = client.url.kind else { return [] }
    if case .error(let error) = await client.call(RedisCommand("ROLE")), error.code == .noPermission
    {
      return [
        .warning(
          subject, "the user may not call ROLE: an old master may be taken for the present one",
          "ACL SETUSER … +role")
      ]
    }
    return []
  }
}
