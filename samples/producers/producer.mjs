// npm install redis (Debian: node-redis)
import { createClient } from "redis";

const queue = process.env.QUEUE ?? "push:messages";
const server = createClient({ url: process.env.REDIS_URL ?? "redis://127.0.0.1:6379/0" });
await server.connect();

// Pushes one event. Once it resolves, the event is Allim's.
export async function notify(room, sender, message, devices) {
  await server.rPush(queue, JSON.stringify({
    type: "message", app: "chat", sentAt: Math.floor(Date.now() / 1000), room, sender, message, devices,
  }));
}

// Reads the tokens that are gone and calls `remove` with each record.
export async function removeDeadTokens(remove) {
  for (;;) {
    const records = await server.lPopCount(`{${queue}}:invalid`, 500);
    if (!records?.length) return;
    for (const record of records) await remove(JSON.parse(record));
  }
}

await notify({ id: 42, name: "Lunch" }, { id: 7, name: "Mina" }, { id: 9001, text: "Noodles at noon?" },
  [{ platform: "ios", token: "aa".repeat(32) }]);
// Remove the token of that kind, not the whole device.
await removeDeadTokens((record) => console.log(record.kind, record.deviceId, record.reason));
await server.quit();
