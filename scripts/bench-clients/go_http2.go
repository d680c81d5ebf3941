// Go's net/http over HTTP/2: one transport a connection, one goroutine a request in flight.
package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func number(name string) int {
	value, err := strconv.Atoi(os.Getenv(name))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return value
}

func contents(name string) []byte {
	bytes, err := os.ReadFile(os.Getenv(name))
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return bytes
}

func send(client *http.Client, body []byte) bool {
	request, err := http.NewRequest("POST", os.Getenv("URL"), bytes.NewReader(body))
	if err != nil {
		return false
	}
	request.Header.Set("authorization", os.Getenv("AUTHORIZATION"))
	request.Header.Set("apns-topic", os.Getenv("TOPIC"))
	request.Header.Set("apns-push-type", "alert")
	request.Header.Set("apns-priority", "10")
	answer, err := client.Do(request)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	return answer.StatusCode == 200
}

func main() {
	body := contents("BODY_FILE")
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(contents("CA_FILE"))
	requests := int64(number("REQUESTS"))
	var started, accepted atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for c := number("CONNECTIONS"); c > 0; c-- {
		client := &http.Client{Transport: &http.Transport{
			TLSClientConfig:   &tls.Config{RootCAs: roots},
			ForceAttemptHTTP2: true,
			MaxConnsPerHost:   1,
		}}
		for s := number("STREAMS"); s > 0; s-- {
			all.Add(1)
			go func() {
				defer all.Done()
				for started.Add(1) <= requests {
					if send(client, body) {
						accepted.Add(1)
					}
				}
			}()
		}
	}
	all.Wait()
	fmt.Printf("{\"accepted\": %d, \"seconds\": %.3f}\n", accepted.Load(), time.Since(begin).Seconds())
}
