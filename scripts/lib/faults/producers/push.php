<?php
$redis = stream_socket_client("tcp://127.0.0.1:" . $argv[1]);
while (($line = fgets(STDIN)) !== false) {
    $line = rtrim($line, "\n");
    $command = "*3\r\n";
    foreach (["RPUSH", $argv[2], $line] as $word) {
        $command .= "$" . strlen($word) . "\r\n" . $word . "\r\n";
    }
    fwrite($redis, $command);
    if (fgets($redis)[0] !== ":") {
        exit(1);
    }
}
