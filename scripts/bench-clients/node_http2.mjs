// Node's http2: one session a connection, a new stream whenever one has closed.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';

const { URL: target, CA_FILE, BODY_FILE, AUTHORIZATION, TOPIC } = process.env;
const [connections, streams, requests] = ['CONNECTIONS', 'STREAMS', 'REQUESTS'].map((name) => Number(process.env[name]));
const url = new URL(target);
const body = readFileSync(BODY_FILE);
const headers = {
  ':method': 'POST',
  ':path': url.pathname,
  authorization: AUTHORIZATION,
  'apns-topic': TOPIC,
  'apns-push-type': 'alert',
  'apns-priority': '10',
};

let started = 0;
let done = 0;
let accepted = 0;
const begin = process.hrtime.bigint();
const sessions = [];

function send(session) {
  if (started === requests) return;
  started += 1;
  const stream = session.request(headers);
  stream.on('response', (answer) => { if (answer[':status'] === 200) accepted += 1; });
  stream.on('error', () => {});
  stream.on('close', () => {
    done += 1;
    if (done === requests) finish();
    else send(session);
  });
  stream.resume();
  stream.end(body);
}

function finish() {
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  console.log(JSON.stringify({ accepted, seconds }));
  for (const session of sessions) session.destroy();
}

for (let i = 0; i < connections; i += 1) {
  const session = http2.connect(url.origin, { ca: readFileSync(CA_FILE) });
  session.on('error', (error) => console.error(String(error)));
  session.once('remoteSettings', () => { for (let j = 0; j < streams; j += 1) send(session); });
  sessions.push(session);
}
