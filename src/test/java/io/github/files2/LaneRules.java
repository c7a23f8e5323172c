package io.github.files2;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What every group of rules in {@link BackendContract} works with. */
interface LaneRules {
  /** Returns the lane under test. */
  Backend backend();

  /** Returns an empty folder of this test's own. */
  Path folder();

  /** Returns a path in another empty folder, in memory if possible, where nothing is yet. */
  Path memoryFile();

  /** Tells whether this lane makes system calls itself, and so keeps the rules that need them. */
  default boolean isNative() {
    return !backend().name().equals("nio");
  }

  /** Returns a path in the folder where nothing is yet. */
  default Path file() {
    return folder().resolve("file");
  }

  /** Returns a file in the folder that holds {@code content}. */
  default Path fileOf(String content) throws IOException {
    return Files.writeString(file(), content, StandardCharsets.ISO_8859_1);
  }

  /** Writes as {@code Files2.writeStringSync} does. */
  default long write(Path file, String text, WriteOptions options) throws IOException {
    return backend().writeText(file, text, options.writePlan());
  }

  default long write(Path file, String text) throws IOException {
    return write(file, text, WriteOptions.DEFAULT);
  }

  /** Appends as {@code Files2.appendStringSync} does. */
  default long append(Path file, String text) throws IOException {
    return backend().writeText(file, text, WriteOptions.DEFAULT.appendPlan());
  }

  /** Opens as {@code Files2.openSync} does. */
  default int open(Path file, String flags) throws IOException {
    return backend().open(file, OpenFlags.parse(flags), WritePlan.DEFAULT_MODE);
  }

  /** Closes as {@code Files2.closeSync} does. */
  default void close(int fd) throws IOException {
    Descriptors.remove(fd).close(fd);
  }

  /** Returns the bytes of the file, one char each. */
  static String content(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }
}
