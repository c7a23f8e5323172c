/**
 * Fast, complete file writing. This page is the contract; {@link io.github.files2.Files2} is where
 * to start.
 *
 * <h2>Two families</h2>
 *
 * The methods that end in {@code Sync} behave as Node's {@code fs.*Sync}: the same bytes, flags,
 * encodings and defaults. {@code writeString} and {@code write} behave as the methods of {@link
 * java.nio.file.Files}: the same bytes, the same exception classes or a subclass. Known differences
 * from the JDK, on a native lane: fewer system calls, {@code O_CLOEXEC}, overwriting in place, and
 * failed writes that tell path, errno and how far they got. On {@code nio} this family is the JDK's
 * methods themselves, with their system calls and exceptions.
 *
 * <h2>Promises</h2>
 *
 * <ul>
 *   <li>All bytes are written or an exception is thrown. Interrupted and short writes are
 *       continued, and an interrupt of the thread neither cuts a write short nor is lost. A full
 *       {@code O_NONBLOCK} descriptor is waited for: an {@code int} on the native lanes, a {@link
 *       java.io.FileDescriptor} on {@code shim}. Elsewhere it is an error, EAGAIN.
 *   <li>Bad arguments, and in the mode {@code REPORT} bad text, are refused before any system call.
 *   <li>A failed write leaves no descriptor open. A call that would have truncated leaves the old
 *       file as it was when it failed before its first byte, and otherwise a file that ends with
 *       what was written, never with a stale tail. Other calls never cut a file. A file that may be
 *       written but not truncated (a sealed memfd, Landlock) keeps its old tail, and the call
 *       fails.
 *   <li>A full disk does not cost the old file where what the new content needs beyond the old one
 *       can be reserved before the first byte is touched: on XFS, tmpfs, F2FS, for ext4 files with
 *       extents (not the block-mapped ones of ext2 and ext3), and for files of up to 64 KiB on an
 *       overlayfs whose upper folder is on one of these. On btrfs and ZFS even cutting a file may
 *       need space: with less than 64 MiB to spare it is truncated first there, and the promise
 *       does not hold; above such an upper folder a full disk may leave the old tail, and the call
 *       fails. Nor does it hold for a file that shares blocks with another (reflink), for holes
 *       that the file's block count hides (extended attributes count too), in {@code truncate}
 *       mode, with {@code SYNC} or {@code DSYNC}, for lines ({@code write(file, lines)}), nor on
 *       the {@code nio} lane.
 *   <li>{@code flush} syncs once, after the last byte and any truncation, before the close, for
 *       paths and descriptors. The error of a sync is thrown and the sync is never repeated.
 *   <li>An append, or a write to a special file, that encodes to at most 1 MiB is one {@code
 *       write(2)}: such records don't interleave in a local regular file. In a pipe that holds up
 *       to 4,096 bytes only. On {@code nio} this is a promise of the {@code Sync} methods alone:
 *       the JDK's {@code writeString} writes pieces of 8 KiB.
 *   <li>The memory of a write does not grow with the text beyond 1 MiB.
 *   <li>{@code atomic(true)}: a reader, a crash or a failure sees the old content or the new, and
 *       nothing between; unless {@code flush(NONE)} is set, what has returned survives a power
 *       loss, its name in the folder too. Owner, mode, ACL, {@code user.*} attributes and SELinux
 *       label of the old file stay; on {@code nio} the ACL and the label are lost. The new file is
 *       another inode: hard links and descriptors of the old one keep the old content.
 *   <li>{@code onlyIfChanged(true)}: a file that holds the bytes already is not opened for writing,
 *       and the call returns 0. Nothing is synced then, with {@code atomic(true)} neither.
 *   <li>{@code createParents(true)}: folders are made after ENOENT only. Where that fails its error
 *       is thrown, and the ENOENT is suppressed.
 *   <li>{@link io.github.files2.Appender}: each record is appended by one call as above; with
 *       {@code reopenIfMoved(true)} a record goes to the file that the path names when it is
 *       written.
 * </ul>
 *
 * <h2>Not promised</h2>
 *
 * <ul>
 *   <li>Atomicity without {@code atomic(true)}. A reader in the middle of an overwrite sees old and
 *       new bytes mixed, where truncating first would have shown it a short file; a crash in the
 *       middle can leave such a mix. {@link io.github.files2.Overwrite#TRUNCATE} restores the POSIX
 *       order.
 *   <li>Order between two writers of one file at once: each may leave the other's text mixed or
 *       cut. Appends of up to 1 MiB are the exception, above.
 *   <li>Durability without {@code flush}: the bytes are in the page cache and reach the disk when
 *       the kernel gets to it, within about half a minute. (ext4 happens to start writing a
 *       truncated file at its close, which is what makes truncating slow there.)
 *   <li>That the name of a new file is durable: {@code flush} alone does not sync the folder, so
 *       after a power loss the file may be missing, though its bytes were synced. An existing file
 *       has its name. {@code atomic(true)} syncs both.
 *   <li>That no temporary file of an atomic write is left by a SIGKILL or a power loss: its name is
 *       {@code .files2-}, 16 hex digits, {@code .tmp}, and {@link
 *       io.github.files2.Files2#removeLeftovers} removes it.
 *   <li>That two atomic writers of one file are told of each other: the last rename wins.
 *   <li>That an atomic write respects a read-only file, which {@code rename(2)} does not.
 * </ul>
 *
 * <h2>Files in memory</h2>
 *
 * A {@link io.github.files2.MemoryFile} is written in steps of any size, in memory, and goes to its
 * file as a whole, by the lane and with the promises of any write. Its size is what was written and
 * no more: spare memory is never seen, nor written back, and a gap is zeros. A byte costs the same
 * however large the file is; memory is the size plus at most 128 KiB, and at most twice the size
 * plus 4 KiB. A write beyond its limit or beyond the memory changes nothing. It does not overwrite
 * what another has changed since it was opened, as far as inode, size and time tell, and flags that
 * append put only what is new behind what others have appended. An error of writing back reaches
 * the caller: after {@code flush} the file is still open and changed, after {@code close} it is
 * closed. Not for use by many threads.
 *
 * <h2>Lanes</h2>
 *
 * A lane is a way to reach the kernel. There are three; {@link
 * io.github.files2.Files2#backendReport} tells which and why.
 *
 * <ul>
 *   <li>{@code shim}: our C library, one crossing a write. Linux on a processor that the jar has a
 *       library for.
 *   <li>{@code libc}: system calls through JNA. Linux on x86-64 and aarch64. A {@link
 *       java.io.FileDescriptor} is written by the JDK's stream, whose failed sync tells no errno.
 *   <li>{@code nio}: the JDK, everywhere else, and for other file systems, charsets without a fast
 *       encoder, and names that native code must not translate. It truncates first. Its gaps: no
 *       {@code O_CLOEXEC}, errno names only where the JDK's text is known, {@code +} flags open for
 *       writing only, an {@code int} descriptor only from its own {@code openSync} and 0, 1, 2, the
 *       count of a failed write only where the file's size shows it; {@code flush} syncs files of
 *       the default file system only, and of a character device through a {@link
 *       java.io.FileDescriptor} it is an error.
 * </ul>
 *
 * Path writes begin on {@code nio}; a daemon thread prepares the native lane once they have taken
 * 100 ms in all. No path write waits for it. An {@code int} descriptor, mode bits above 0777, an
 * atomic write and {@code removeLeftovers} prepare it at once and wait.
 *
 * <h2>Properties</h2>
 *
 * <ul>
 *   <li>{@code files2.backend}: {@code shim}, {@code libc} or {@code nio} forces a lane for the
 *       default file system, from the first call on; a write throws {@link
 *       java.lang.IllegalStateException} where it can't be had.
 *   <li>{@code files2.overwrite}: {@code in_place} (the default) or {@code truncate}.
 *   <li>{@code files2.simd}: {@code scalar}, {@code avx2} or {@code avx512} forces the shim's
 *       encoders. For tests and bug reports.
 *   <li>{@code files2.strings}: {@code fields} (the default), or {@code region}, which makes the
 *       shim read strings by JNI's functions alone. For tests and bug reports.
 * </ul>
 *
 * They are read once. A value that means nothing passes the native lanes over that it concerns, and
 * the report says so; with one for {@code files2.backend} the write fails.
 *
 * <h2>Units, threads, errors</h2>
 *
 * Counts and sizes are bytes, text indexes are {@code char}s, modes are permission bits. All static
 * methods are safe for use by many threads. {@code ENOENT}, {@code EEXIST} and {@code EACCES} are
 * {@link java.nio.file.NoSuchFileException}, {@link java.nio.file.FileAlreadyExistsException} and
 * {@link java.nio.file.AccessDeniedException}; every other errno is a {@link
 * java.nio.file.FileSystemException} with the path (or {@code fd 7}) and a reason: operation,
 * errno's name and text. A failed open shows the flags that were asked for; in place, {@code
 * open(2)} was called without {@code O_TRUNC}. A write that failed after some bytes is a {@link
 * io.github.files2.PartialWriteException}. The first failure is thrown, later ones are suppressed
 * exceptions of it. All this is true of the {@code Sync} methods on each lane, and of {@code
 * writeString} and {@code write} on a native one.
 *
 * <h2>Buffers</h2>
 *
 * The position of a {@link java.nio.ByteBuffer} advances by what was written when the call returns
 * or throws {@link io.github.files2.PartialWriteException}; else it stays. No other thread may
 * change the buffer's bytes meanwhile, nor close the shared {@code Arena} that its memory is of.
 * The bytes of a read-only heap buffer are copied, piece by piece, since its array can't be
 * reached.
 */
package io.github.files2;
