# The shell's own sockets, no program but bash.
LC_ALL=C
exec 3<>"/dev/tcp/127.0.0.1/$1"
while IFS= read -r line; do
  printf '*3\r\n$5\r\nRPUSH\r\n$%d\r\n%s\r\n$%d\r\n%s\r\n' "${#2}" "$2" "${#line}" "$line" >&3
  IFS= read -r answer <&3
  case $answer in :*) ;; *) echo "no length came back" >&2; exit 1 ;; esac
done
