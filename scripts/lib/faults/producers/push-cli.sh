# redis-cli, the event as the last argument from standard input.
while IFS= read -r line; do
  printf '%s' "$line" | redis-cli -p "$1" -x RPUSH "$2" | grep -q '^[0-9]' || exit 1
done
