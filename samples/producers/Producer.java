// Maven: com.fasterxml.jackson.core:jackson-databind (Debian: libjackson2-databind-java)
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

public final class Producer {
  private static final ObjectMapper JSON = new ObjectMapper();
  private final Redis server;
  private final String queue;

  Producer(Redis server, String queue) {
    this.server = server;
    this.queue = queue;
  }

  /** Pushes one event. Once this returns, the event is Allim's. With Jedis: server.rpush(…). */
  void notify(Map<String, Object> event) throws IOException {
    server.call("RPUSH", queue, JSON.writeValueAsString(event));
  }

  /** Reads the tokens that are gone and calls {@code remove} with each record. With Jedis: server.lpop(…). */
  void removeDeadTokens(Consumer<JsonNode> remove) throws IOException {
    while (server.call("LPOP", "{" + queue + "}:invalid", "500") instanceof List<?> records) {
      for (Object record : records) remove.accept(JSON.readTree((String) record));
    }
  }

  public static void main(String[] arguments) throws IOException {
    Map<String, String> environment = System.getenv();
    String url = environment.getOrDefault("REDIS_URL", "redis://127.0.0.1:6379/0");
    try (Redis server = new Redis(URI.create(url))) {
      Producer producer = new Producer(server, environment.getOrDefault("QUEUE", "push:messages"));
      producer.notify(Map.of(
          "type", "message", "app", "chat", "sentAt", System.currentTimeMillis() / 1000,
          "room", Map.of("id", 42, "name", "Lunch"), "sender", Map.of("id", 7, "name", "Mina"),
          "message", Map.of("id", 9001, "text", "Noodles at noon?"),
          "devices", List.of(Map.of("platform", "ios", "token", "aa".repeat(32)))));
      // Remove the token of that kind, not the whole device.
      producer.removeDeadTokens(record -> System.out.printf("%s %s %s%n",
          record.path("kind").asText(), record.path("deviceId").asText(), record.path("reason").asText()));
    }
  }

  /** Redis' protocol as far as a producer needs it; Jedis and Lettuce do as well. */
  private static final class Redis implements AutoCloseable {
    private final Socket socket;
    private final InputStream input;

    Redis(URI url) throws IOException {
      socket = new Socket(url.getHost(), url.getPort() < 0 ? 6379 : url.getPort());
      input = new BufferedInputStream(socket.getInputStream());
      if (url.getUserInfo() != null) {
        String[] names = url.getUserInfo().split(":", 2);
        if (names[0].isEmpty()) call("AUTH", names[1]);
        else call("AUTH", names[0], names[1]);
      }
      if (url.getPath().length() > 1) call("SELECT", url.getPath().substring(1));
    }

    /** A String, a List of them, or null when there is nothing. */
    Object call(String... words) throws IOException {
      ByteArrayOutputStream command = new ByteArrayOutputStream();
      command.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
      for (String word : words) {
        byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
        command.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        command.writeBytes(bytes);
        command.writeBytes("\r\n".getBytes(StandardCharsets.UTF_8));
      }
      socket.getOutputStream().write(command.toByteArray());
      return reply();
    }

    private Object reply() throws IOException {
      String line = line();
      String rest = line.substring(1);
      switch (line.charAt(0)) {
        case '-': throw new IOException(rest);
        case '$': return rest.equals("-1") ? null : text(Integer.parseInt(rest));
        case '*':
          if (rest.equals("-1")) return null;
          List<Object> items = new ArrayList<>();
          for (int left = Integer.parseInt(rest); left > 0; left--) items.add(reply());
          return items;
        default: return rest;
      }
    }

    private String line() throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int next; (next = input.read()) != '\r'; line.write(next)) {
        if (next < 0) throw new EOFException("Redis closed the connection");
      }
      input.skipNBytes(1);
      return line.toString(StandardCharsets.UTF_8);
    }

    private String text(int length) throws IOException {
      byte[] bytes = input.readNBytes(length);
      input.skipNBytes(2);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
