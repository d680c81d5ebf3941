// Maven: redis.clients:jedis:5.1.0 and com.fasterxml.jackson.core:jackson-databind
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import redis.clients.jedis.JedisPooled;

public final class Producer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final JedisPooled server;
  private final String queue;

  Producer(String url, String queue) {
    this.server = new JedisPooled(url);
    this.queue = queue;
  }

  /** Pushes one event. Once this returns, the event is Allim's. */
  void notify(Map<String, Object> event) throws Exception {
    server.rpush(queue, JSON.writeValueAsString(event));
  }

  /** Reads the tokens that are gone and calls {@code remove} with each record. */
  void removeDeadTokens(Consumer<JsonNode> remove) throws Exception {
    for (;;) {
      List<String> records = server.lpop("{" + queue + "}:invalid", 500);
      if (records == null || records.isEmpty()) return;
      for (String record : records) remove.accept(JSON.readTree(record));
    }
  }

  public static void main(String[] arguments) throws Exception {
    String url = System.getenv().getOrDefault("REDIS_URL", "redis://127.0.0.1:6379/0");
    Producer producer = new Producer(url, System.getenv().getOrDefault("QUEUE", "push:messages"));
    producer.notify(Map.of(
        "type", "message", "app", "chat", "sentAt", System.currentTimeMillis() / 1000,
        "room", Map.of("id", 42, "name", "Lunch"), "sender", Map.of("id", 7, "name", "Mina"),
        "message", Map.of("id", 9001, "text", "Noodles at noon?"),
        "devices", List.of(Map.of("platform", "ios", "token", "aa".repeat(32)))));
    // Remove the token of that kind, not the whole device.
    producer.removeDeadTokens(record ->
        System.out.println(record.path("kind").asText() + " " + record.path("reason").asText()));
  }
}
