import net from "node:net";
import readline from "node:readline";

const [port, list] = process.argv.slice(2);
const redis = net.connect(Number(port), "127.0.0.1");
let answers = 0, pushed = 0, ended = false;
redis.on("data", (data) => {
  const text = data.toString();
  if (text.includes("-")) process.exit(1);
  answers += text.split("\r\n").length - 1;
  if (ended && answers === pushed) process.exit(0);
});
for await (const line of readline.createInterface({ input: process.stdin })) {
  const words = ["RPUSH", list, line].map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  redis.write(`*3\r\n${words.join("")}`);
  pushed += 1;
}
ended = true;
if (answers === pushed) process.exit(0);
