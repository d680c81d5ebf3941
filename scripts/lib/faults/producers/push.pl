use strict;
use warnings;
use IO::Socket::INET;

my ($port, $list) = @ARGV;
my $redis = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port) or die "no connection";
$redis->autoflush(1);
while (my $line = <STDIN>) {
    chomp $line;
    print $redis "*3\r\n", map { "\$" . length($_) . "\r\n$_\r\n" } "RPUSH", $list, $line;
    my $answer = <$redis>;
    die "no length came back" unless $answer =~ /^:/;
}
