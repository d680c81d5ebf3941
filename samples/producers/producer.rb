# gem install redis (Debian: ruby-redis)
require "json"
require "redis"

QUEUE = ENV.fetch("QUEUE", "push:messages")
SERVER = Redis.new(url: ENV.fetch("REDIS_URL", "redis://127.0.0.1:6379/0"))

# Pushes one event. Once this returns, the event is Allim's.
def notify(room:, sender:, message:, devices:)
  SERVER.rpush(QUEUE, JSON.generate(
    type: "message", app: "chat", sentAt: Time.now.to_i,
    room: room, sender: sender, message: message, devices: devices
  ))
end

# Reads the tokens that are gone and yields each record.
def each_dead_token
  while (records = SERVER.lpop("{#{QUEUE}}:invalid", 500))
    records.each { |record| yield JSON.parse(record) }
  end
end

notify(room: { id: 42, name: "Lunch" }, sender: { id: 7, name: "Mina" },
       message: { id: 9001, text: "Noodles at noon?" },
       devices: [{ platform: "ios", token: "aa" * 32 }])
# Remove the token of that kind, not the whole device.
each_dead_token { |record| puts "#{record["kind"]} #{record["deviceId"]} #{record["reason"]}" }
