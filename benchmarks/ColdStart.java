import io.github.files2.Files2;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program that cold-start times: makes as many small writes as it is told, and ends. */
final class ColdStart {
  private static final int FILES = 10;
  private static final int TEXT_CHARS = 1024;

  private ColdStart() {}

  public static void main(String[] args) throws IOException {
    boolean isFiles2 = args[0].equals("files2");
    int writes = Integer.parseInt(args[1]);
    Path folder = Path.of(args[2]);
    Path[] files = new Path[Math.min(writes, FILES)];
    for (int i = 0; i < files.length; i++) {
      files[i] = folder.resolve(String.valueOf(i));
    }
    String text = "x".repeat(TEXT_CHARS);
    for (int i = 0; i < writes; i++) {
      Path file = files[i % files.length];
      if (isFiles2) {
        Files2.writeStringSync(file, text);
      } else {
        Files.writeString(file, text);
      }
    }
  }
}
