package io.github.files2.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/**
 * Something to do for all contenders.
 *
 * @param work as {@link CompareWorker} knows it
 * @param text as {@link Texts} knows it
 * @param bytes how many a call writes
 * @param threads how many do it at once, each with a file of its own
 */
record Workload(String work, String text, int bytes, int threads) {
  private static final int MIB = 1024 * 1024;

  /** The works that are measured with one small and one large text only. */
  private static final List<String> OTHER_WORKS =
      List.of("create", "append", "base64", "atomic", "unchanged", "flush", "atomic-durable");

  /** Returns all of the works and sizes. */
  static List<Workload> all() {
    List<Workload> all = new ArrayList<>();
    for (String work : List.of("overwrite", "descriptor")) {
      all.add(new Workload(work, "ascii", 12, 1));
      all.add(new Workload(work, "emoji", 12, 1));
      all.add(new Workload(work, "ascii", 1024, 1));
      all.add(new Workload(work, "ascii", 12_288, 1));
      all.add(new Workload(work, "mix", 18_432, 1));
      all.add(new Workload(work, "ascii", 102_400, 1));
      for (String text : List.of("ascii", "french", "russian", "chinese", "emoji")) {
        all.add(new Workload(work, text, MIB, 1));
      }
      all.add(new Workload(work, "ascii", 64 * MIB, 1));
      all.add(new Workload(work, "ascii", 1024, 2));
      all.add(new Workload(work, "ascii", MIB, 2));
    }
    for (String work : OTHER_WORKS) {
      all.add(new Workload(work, "ascii", 1024, 1));
      all.add(new Workload(work, "ascii", MIB, 1));
    }
    all.add(new Workload("atomic", "ascii", 12_288, 1));
    all.add(new Workload("unchanged", "ascii", 12_288, 1));
    return all;
  }

  /** Returns those that show the gist within a minute or two. */
  static List<Workload> few() {
    List<Workload> few = new ArrayList<>();
    for (String work : List.of("overwrite", "descriptor")) {
      few.add(new Workload(work, "ascii", 12, 1));
      few.add(new Workload(work, "ascii", 1024, 1));
      few.add(new Workload(work, "ascii", MIB, 1));
      few.add(new Workload(work, "russian", MIB, 1));
    }
    OTHER_WORKS.forEach(work -> few.add(new Workload(work, "ascii", 1024, 1)));
    return few;
  }

  /** Returns each work once with a small text and once with a large one. */
  static List<Workload> smallAndLarge() {
    return all().stream()
        .filter(workload -> workload.text.equals("ascii") && workload.threads == 1)
        .filter(workload -> workload.bytes == 1024 || workload.bytes == MIB)
        .toList();
  }

  /** Writes the text, and beside it the bytes that all contenders have to make of it. */
  void writeTo(Path textFile) throws IOException {
    byte[] made = Texts.of(text, bytes).getBytes(UTF_8);
    byte[] given = work.equals("base64") ? Base64.getEncoder().encode(made) : made;
    Files.write(textFile, given);
    Files.write(textFile.resolveSibling(textFile.getFileName() + ".bytes"), made);
  }

  /**
   * Checks what a contender has written.
   *
   * @throws IOException if it is not what was wanted
   */
  void check(Contender contender) throws IOException {
    byte[] expected = Texts.of(text, bytes).getBytes(UTF_8);
    for (int t = 0; t < threads; t++) {
      byte[] found = Files.readAllBytes(contender.folder.resolve(t == 0 ? "file" : "file" + t));
      boolean isRight = found.length > 0 && found.length % bytes == 0;
      for (int at = 0; at < found.length && isRight; at += bytes) {
        isRight = Arrays.equals(found, at, at + bytes, expected, 0, bytes);
      }
      boolean grows = work.equals("append") || work.equals("descriptor");
      if (!isRight || (!grows && found.length != bytes)) {
        String begin = new String(found, 0, Math.min(found.length, 40), ISO_8859_1);
        throw new IOException(
            contender.name + ", " + this + ": wrong, " + found.length + " bytes: " + begin);
      }
    }
  }

  @Override
  public String toString() {
    String size = bytes % MIB == 0 ? bytes / MIB + " MiB" : bytes + " B";
    return work + ", " + size + " " + text + (threads == 1 ? "" : ", " + threads + " threads");
  }
}
