<?php
// The extension redis (Debian: php-redis)
declare(strict_types=1);

$queue = getenv('QUEUE') ?: 'push:messages';
$url = parse_url(getenv('REDIS_URL') ?: 'redis://127.0.0.1:6379/0');
$server = new Redis();
$server->connect($url['host'], $url['port'] ?? 6379);
if (isset($url['pass'])) {
    $server->auth(array_map('rawurldecode', array_filter([$url['user'] ?? '', $url['pass']])));
}
$server->select((int) ltrim($url['path'] ?? '0', '/'));

/** Pushes one event. Once this returns, the event is Allim's. */
function notify(Redis $server, string $queue, array $event): void
{
    $server->rPush($queue, json_encode($event, JSON_THROW_ON_ERROR | JSON_UNESCAPED_UNICODE));
}

/** Reads the tokens that are gone and calls $remove with each record. */
function removeDeadTokens(Redis $server, string $queue, callable $remove): void
{
    while ($records = $server->rawCommand('LPOP', '{' . $queue . '}:invalid', '500')) {
        foreach ($records as $record) {
            $remove(json_decode($record, true, 512, JSON_THROW_ON_ERROR));
        }
    }
}

notify($server, $queue, [
    'type' => 'message', 'app' => 'chat', 'sentAt' => time(),
    'room' => ['id' => 42, 'name' => 'Lunch'], 'sender' => ['id' => 7, 'name' => 'Mina'],
    'message' => ['id' => 9001, 'text' => 'Noodles at noon?'],
    'devices' => [['platform' => 'ios', 'token' => str_repeat('aa', 32)]],
]);
// Remove the token of that kind, not the whole device.
removeDeadTokens($server, $queue, function (array $record): void {
    echo $record['kind'], ' ', $record['deviceId'] ?? '', ' ', $record['reason'], "\n";
});
