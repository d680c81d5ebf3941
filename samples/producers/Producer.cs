// dotnet add package StackExchange.Redis
using System.Text.Json;
using System.Text.Json.Nodes;
using StackExchange.Redis;

string queue = Environment.GetEnvironmentVariable("QUEUE") ?? "push:messages";
string address = Environment.GetEnvironmentVariable("REDIS_ADDRESS") ?? "127.0.0.1:6379";
IDatabase server = (await ConnectionMultiplexer.ConnectAsync(address)).GetDatabase();

// Pushes one event. Once it completes, the event is Allim's.
async Task Notify(object @event) =>
    await server.ListRightPushAsync(queue, JsonSerializer.Serialize(@event));

// Reads the tokens that are gone and calls `remove` with each record.
async Task RemoveDeadTokens(Action<JsonNode> remove)
{
    while (await server.ListLeftPopAsync($"{{{queue}}}:invalid", 500) is { Length: > 0 } records)
        foreach (var record in records)
            remove(JsonNode.Parse((string)record!)!);
}

await Notify(new
{
    type = "message", app = "chat", sentAt = DateTimeOffset.UtcNow.ToUnixTimeSeconds(),
    room = new { id = 42, name = "Lunch" }, sender = new { id = 7, name = "Mina" },
    message = new { id = 9001, text = "Noodles at noon?" },
    devices = new[] { new { platform = "ios", token = string.Concat(Enumerable.Repeat("aa", 32)) } },
});
// Remove the token of that kind, not the whole device.
await RemoveDeadTokens(record => Console.WriteLine($"{record["kind"]} {record["deviceId"]} {record["reason"]}"));
