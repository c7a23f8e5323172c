package io.github.files2;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** What a {@link NodeJob} finds at its path; each makes it in an empty folder. */
enum NodeTarget {
  MISSING,
  FILE {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return oldFile(folder.resolve("file"), job);
    }
  },
  SECOND_NAME {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Path first = oldFile(folder.resolve("first"), job);
      return Files.createLink(folder.resolve("file"), first);
    }
  },
  LINK {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      oldFile(folder.resolve("old"), job);
      return Files.createSymbolicLink(folder.resolve("file"), Path.of("old"));
    }
  },
  DANGLING_LINK {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Path next = Files.createSymbolicLink(folder.resolve("next"), Path.of("nothing"));
      return Files.createSymbolicLink(folder.resolve("file"), next.getFileName());
    }
  },
  LINK_INTO_NOTHING {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return Files.createSymbolicLink(folder.resolve("file"), Path.of("no-folder/nothing"));
    }
  },
  LINK_LOOP {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return Files.createSymbolicLink(folder.resolve("file"), Path.of("file"));
    }
  },
  FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return Files.createDirectory(folder.resolve("file"));
    }
  },
  LINK_TO_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Files.createDirectory(folder.resolve("old"));
      return Files.createSymbolicLink(folder.resolve("file"), Path.of("old"));
    }
  },
  MISSING_PARENT {
    @Override
    Path prepare(Path folder, NodeJob job) {
      return folder.resolve("no-folder").resolve("file");
    }
  },
  FILE_AS_PARENT {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return oldFile(folder.resolve("parent"), job).resolve("file");
    }
  },
  LONGEST_NAME {
    @Override
    Path prepare(Path folder, NodeJob job) {
      return folder.resolve("n".repeat(255));
    }
  },
  TOO_LONG_NAME {
    @Override
    Path prepare(Path folder, NodeJob job) {
      return folder.resolve("n".repeat(256));
    }
  },
  SOCKET {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Path socket = folder.resolve("file");
      ServerSocketChannel.open(StandardProtocolFamily.UNIX)
          .bind(UnixDomainSocketAddress.of(socket))
          .close();
      return socket;
    }
  },
  NULL_DEVICE {
    @Override
    Path prepare(Path folder, NodeJob job) {
      return Path.of("/dev/null");
    }
  },
  FULL_DEVICE {
    @Override
    Path prepare(Path folder, NodeJob job) {
      return Path.of("/dev/full");
    }
  },
  MISSING_IN_READ_ONLY_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return folderOfMode(folder, 0555).resolve("file");
    }
  },
  FILE_IN_READ_ONLY_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Path inner = Files.createDirectory(folder.resolve("inner"));
      Path file = oldFile(inner.resolve("file"), job);
      setMode(inner, 0555);
      return file;
    }
  },
  FILE_IN_LOCKED_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      Path inner = Files.createDirectory(folder.resolve("inner"));
      Path file = oldFile(inner.resolve("file"), job);
      setMode(inner, 0600);
      return file;
    }
  },
  /** Where fs.protected_regular is on, the kernel refuses to "create" another's file here. */
  FILE_IN_STICKY_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return oldFile(folderOfMode(folder, 01777).resolve("file"), job);
    }
  },
  MISSING_IN_SETGID_FOLDER {
    @Override
    Path prepare(Path folder, NodeJob job) throws IOException {
      return folderOfMode(folder, 02777).resolve("file");
    }
  };

  /** Tells whether the path is one of the system's, which must not be changed. */
  boolean isDevice() {
    return this == NULL_DEVICE || this == FULL_DEVICE;
  }

  /** Makes the target in the empty {@code folder} and returns the path to write to. */
  Path prepare(Path folder, NodeJob job) throws IOException {
    return folder.resolve("file");
  }

  private static Path oldFile(Path file, NodeJob job) throws IOException {
    byte[] content = new byte[job.oldBytes()];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) ('A' + i % 57);
    }
    Files.write(file, content);
    if (Needs.isRoot() && job.owner() != 0) {
      Files.setAttribute(file, "unix:uid", job.owner());
    }
    setMode(file, job.oldMode());
    return file;
  }

  private static Path folderOfMode(Path folder, int mode) throws IOException {
    Path inner = Files.createDirectory(folder.resolve("inner"));
    setMode(inner, mode);
    return inner;
  }

  static void setMode(Path file, int mode) throws IOException {
    Files.setAttribute(file, "unix:mode", mode, LinkOption.NOFOLLOW_LINKS);
  }
}
