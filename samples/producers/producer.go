// go get github.com/gomodule/redigo (Debian: golang-github-gomodule-redigo-dev)
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/gomodule/redigo/redis"
)

var queue = env("QUEUE", "push:messages")

// notify pushes one event. Once it returns nil, the event is Allim's.
func notify(server redis.Conn, event map[string]any) error {
	bytes, err := json.Marshal(event)
	if err != nil {
		return err
	}
	_, err = server.Do("RPUSH", queue, bytes)
	return err
}

// removeDeadTokens reads the tokens that are gone and calls remove with each record.
func removeDeadTokens(server redis.Conn, remove func(map[string]any)) error {
	for {
		records, err := redis.ByteSlices(server.Do("LPOP", "{"+queue+"}:invalid", 500))
		if errors.Is(err, redis.ErrNil) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, text := range records {
			var record map[string]any
			if err := json.Unmarshal(text, &record); err != nil {
				return err
			}
			remove(record)
		}
	}
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func main() {
	server, err := redis.DialURL(env("REDIS_URL", "redis://127.0.0.1:6379/0"))
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	err = notify(server, map[string]any{
		"type": "message", "app": "chat", "sentAt": time.Now().Unix(),
		"room":    map[string]any{"id": 42, "name": "Lunch"},
		"sender":  map[string]any{"id": 7, "name": "Mina"},
		"message": map[string]any{"id": 9001, "text": "Noodles at noon?"},
		"devices": []any{map[string]any{"platform": "ios", "token": strings.Repeat("aa", 32)}},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Remove the token of that kind, not the whole device.
	err = removeDeadTokens(server, func(record map[string]any) {
		fmt.Println(record["kind"], record["deviceId"], record["reason"])
	})
	if err != nil {
		log.Fatal(err)
	}
}
