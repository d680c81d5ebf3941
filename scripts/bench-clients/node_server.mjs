// Node's http2 as a server: says its port, accepts every push, and says how many at TERM.
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';

const pem = readFileSync(process.argv[2]);
const server = http2.createSecureServer({ key: pem, cert: pem });
let answered = 0;
server.on('stream', (stream) => {
  stream.on('error', () => {});
  stream.resume();
  stream.on('end', () => {
    answered += 1;
    stream.respond({ ':status': 200 }, { endStream: true });
  });
});
server.on('session', (session) => session.on('error', () => {}));
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => {
  console.error(String(answered));
  process.exit(0);
});
