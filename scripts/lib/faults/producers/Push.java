import java.io.*;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

public class Push {
  static byte[] word(byte[] bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.write(bytes);
    out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
    return out.toByteArray();
  }

  public static void main(String[] arguments) throws IOException {
    try (Socket redis = new Socket("127.0.0.1", Integer.parseInt(arguments[0]))) {
      BufferedReader events = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      BufferedReader answers = new BufferedReader(new InputStreamReader(redis.getInputStream()));
      for (String line; (line = events.readLine()) != null; ) {
        ByteArrayOutputStream command = new ByteArrayOutputStream();
        command.write("*3\r\n".getBytes(StandardCharsets.US_ASCII));
        for (String text : new String[] {"RPUSH", arguments[1], line}) {
          command.write(word(text.getBytes(StandardCharsets.UTF_8)));
        }
        redis.getOutputStream().write(command.toByteArray());
        if (!answers.readLine().startsWith(":")) throw new IOException("no length came back");
      }
    }
  }
}
