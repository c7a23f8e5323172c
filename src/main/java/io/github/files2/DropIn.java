package io.github.files2;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;

/**
 * The {@code java.nio} family on a native lane. Whatever option or charset has no fast way goes to
 * the method of {@code Files} itself, which also refuses what is to be refused.
 */
final class DropIn {
  private DropIn() {}

  static Path writeString(
      Backend backend, Path file, CharSequence text, Charset charset, OpenOption... options)
      throws IOException {
    TextEncoding encoding = encoding(charset);
    WritePlan plan = encoding == null ? null : plan(file, encoding, options);
    if (plan == null) {
      return Files.writeString(file, text, charset, options);
    }
    try {
      backend.writeText(file, String.valueOf(Objects.requireNonNull(text)), plan);
      return file;
    } catch (MalformedTextException e) {
      // Nothing is written yet: the JDK throws the exception that it throws for this charset.
      return Files.writeString(file, text, charset, options);
    }
  }

  /** Returns the plan, or {@code null} for what only {@code Files} can do or refuse. */
  private static WritePlan plan(Path file, TextEncoding encoding, OpenOption... options) {
    WritePlan plan = options == null ? null : WritePlan.of(encoding, options);
    // The JDK says of a new file called "." that it exists; the kernel has other words.
    boolean isExclusive = plan != null && (plan.openFlags & OpenFlags.EXCL) != 0;
    return isExclusive && file.endsWith(".") ? null : plan;
  }

  /** Returns our encoder for {@code charset}, or {@code null}. */
  private static TextEncoding encoding(Charset charset) {
    if (StandardCharsets.UTF_8.equals(charset)) {
      return TextEncoding.UTF8;
    }
    if (StandardCharsets.ISO_8859_1.equals(charset)) {
      return TextEncoding.LATIN1;
    }
    return StandardCharsets.US_ASCII.equals(charset) ? TextEncoding.ASCII : null;
  }

  static Path write(Backend backend, Path file, byte[] bytes, OpenOption... options)
      throws IOException {
    WritePlan plan = plan(file, TextEncoding.UTF8, options);
    if (plan == null) {
      return Files.write(file, bytes, options);
    }
    backend.writeBytes(file, ByteBuffer.wrap(bytes), plan);
    return file;
  }

  static Path write(
      Backend backend,
      Path file,
      Iterable<? extends CharSequence> lines,
      Charset charset,
      OpenOption... options)
      throws IOException {
    WritePlan plan = plan(file, TextEncoding.UTF8, options);
    if (plan == null) {
      return Files.write(file, lines, charset, options);
    }
    Objects.requireNonNull(lines);
    CharsetEncoder encoder = charset.newEncoder();
    // Lines may be read from the file itself while they are written; those of a collection aren't.
    WritePlan streamPlan = lines instanceof Collection ? plan : plan.truncatingFirst();
    // The JDK's own writer: its bytes and its exceptions, whatever the charset.
    try (OutputStream out = backend.newOutputStream(file, streamPlan);
        BufferedWriter writer = new BufferedWriter(new OutputStreamWriter(out, encoder))) {
      for (CharSequence line : lines) {
        writer.append(line);
        writer.newLine();
      }
    }
    return file;
  }
}
