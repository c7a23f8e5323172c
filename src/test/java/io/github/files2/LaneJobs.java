package io.github.files2;

import com.sun.jna.Function;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Does the jobs that Node does, on a lane. */
final class LaneJobs {
  private static final int NOBODY = 65534;
  private static final Function UMASK = Function.getFunction("c", "umask");

  /** Of the calling thread alone, and it takes root's rights over files with it. */
  private static final Function SETFSUID = Function.getFunction("c", "setfsuid");

  private static final Function SETFSGID = Function.getFunction("c", "setfsgid");
  private static final Pattern REASON = Pattern.compile("([a-z]+).*?: (E[A-Z0-9]+) \\(.*");

  private LaneJobs() {}

  /** One write; returns the bytes. */
  private interface Action {
    long run() throws IOException;
  }

  /** What text and bytes are written to. */
  private interface Sink {
    long text(String text, WritePlan plan) throws IOException;

    long bytes(ByteBuffer data, WritePlan plan) throws IOException;
  }

  /** Does the job and returns what the open, if any, and each step ended with. */
  static List<String> run(Backend lane, Path path, NodeJob job) throws IOException {
    boolean changesUser = job.isNobodys() && Needs.isRoot();
    int umask = UMASK.invokeInt(new Object[] {job.umask()});
    try {
      if (changesUser) {
        SETFSGID.invokeInt(new Object[] {NOBODY});
        SETFSUID.invokeInt(new Object[] {NOBODY});
      }
      return job.usesStream()
          ? runStream(lane, path, job)
          : job.usesDescriptor() ? runDescriptor(lane, path, job) : runPath(lane, path, job);
    } finally {
      if (changesUser) {
        SETFSUID.invokeInt(new Object[] {0});
        SETFSGID.invokeInt(new Object[] {0});
      }
      UMASK.invokeInt(new Object[] {umask});
    }
  }

  private static List<String> runPath(Backend lane, Path path, NodeJob job) {
    List<String> outcomes = new ArrayList<>();
    runSteps(
        job,
        outcomes,
        new Sink() {
          @Override
          public long text(String text, WritePlan plan) throws IOException {
            return lane.writeText(path, text, plan);
          }

          @Override
          public long bytes(ByteBuffer data, WritePlan plan) throws IOException {
            return lane.writeBytes(path, data, plan);
          }
        });
    return outcomes;
  }

  private static List<String> runDescriptor(Backend lane, Path path, NodeJob job)
      throws IOException {
    List<String> outcomes = new ArrayList<>();
    int[] fd = {-1};
    outcomes.add(
        outcome(
            () -> {
              int flags = OpenFlags.parse(job.setup().get("open"));
              int mode = withMode(WriteOptions.DEFAULT, job.setup()).writePlan().mode;
              fd[0] = lane.open(path, flags, mode);
              return 0;
            }));
    if (fd[0] < 0) {
      return outcomes;
    }
    try {
      runSteps(
          job,
          outcomes,
          new Sink() {
            @Override
            public long text(String text, WritePlan plan) throws IOException {
              return lane.writeText(fd[0], text, plan);
            }

            @Override
            public long bytes(ByteBuffer data, WritePlan plan) throws IOException {
              return lane.writeBytes(fd[0], data, plan);
            }
          });
    } finally {
      Descriptors.remove(fd[0]).close(fd[0]);
    }
    return outcomes;
  }

  private static List<String> runStream(Backend lane, Path path, NodeJob job) throws IOException {
    List<String> outcomes = new ArrayList<>();
    boolean appends = job.setup().get("open").equals("a");
    try (FileOutputStream stream = new FileOutputStream(path.toFile(), appends)) {
      FileDescriptor fd = stream.getFD();
      outcomes.add("ok 0");
      runSteps(
          job,
          outcomes,
          new Sink() {
            @Override
            public long text(String text, WritePlan plan) throws IOException {
              return lane.writeText(fd, text, plan);
            }

            @Override
            public long bytes(ByteBuffer data, WritePlan plan) throws IOException {
              return lane.writeBytes(fd, data, plan);
            }
          });
    }
    return outcomes;
  }

  private static void runSteps(NodeJob job, List<String> outcomes, Sink sink) {
    for (Map<String, String> step : job.steps()) {
      outcomes.add(outcome(() -> runStep(sink, step)));
    }
  }

  private static long runStep(Sink sink, Map<String, String> step) throws IOException {
    WriteOptions options = withMode(WriteOptions.DEFAULT, step);
    if (step.containsKey("flag")) {
      options = options.flag(step.get("flag"));
    }
    if (step.containsKey("enc")) {
      options = options.encoding(step.get("enc"));
    }
    if (step.containsKey("flush")) {
      options = options.flush(step.get("flush").equals("true"));
    }
    WritePlan plan = "append".equals(step.get("op")) ? options.appendPlan() : options.writePlan();
    String text = NodeJob.text(step);
    if (!step.containsKey("data")) {
      return sink.text(text, plan);
    }
    ByteBuffer data = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    return sink.bytes(
        step.get("data").equals("direct")
            ? ByteBuffer.allocateDirect(data.remaining()).put(data).flip()
            : data,
        plan);
  }

  private static WriteOptions withMode(WriteOptions options, Map<String, String> fields) {
    if (fields.containsKey("modeText")) {
      return options.mode(fields.get("modeText"));
    }
    return fields.containsKey("mode")
        ? options.mode(Integer.parseInt(fields.get("mode"), 8))
        : options;
  }

  /** Tells how {@code action} ended in the words of node-jobs.js. */
  private static String outcome(Action action) {
    try {
      return "ok " + action.run();
    } catch (IllegalArgumentException e) {
      return "ARG";
    } catch (FileSystemException e) {
      Matcher reason = REASON.matcher(String.valueOf(e.getReason()));
      return reason.matches() && isClassOf(reason.group(2), e)
          ? reason.group(2) + " " + reason.group(1)
          : e.toString();
    } catch (IOException e) {
      return e.toString();
    }
  }

  private static boolean isClassOf(String errno, FileSystemException e) {
    return e.getClass()
        == switch (errno) {
          case "ENOENT" -> NoSuchFileException.class;
          case "EEXIST" -> FileAlreadyExistsException.class;
          case "EACCES" -> AccessDeniedException.class;
          default -> FileSystemException.class;
        };
  }
}
