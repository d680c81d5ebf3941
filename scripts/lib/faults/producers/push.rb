require "socket"

redis = TCPSocket.new("127.0.0.1", ARGV[0].to_i)
$stdin.binmode.each_line(chomp: true) do |line|
  words = ["RPUSH", ARGV[1], line].map { |word| "$#{word.bytesize}\r\n#{word}\r\n" }
  redis.write("*3\r\n#{words.join}")
  abort "no length came back" unless redis.gets.start_with?(":")
end
