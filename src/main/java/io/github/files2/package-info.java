/**
 * Fast, complete file writing. This page is the contract; {@link io.github.files2.Files2} is where
 * to start.
 *
 * <h2>Two families</h2>
 *
 * The methods that end in {@code Sync} behave as Node's {@code fs.*Sync}: the same bytes, flags,
 * encodings and defaults. {@code writeString} and {@code write} behave as the methods of {@link
 * java.nio.file.Files}: the same bytes, the same exception classes. Known differences from the JDK:
 * fewer system calls, {@code O_CLOEXEC}, overwriting in place, and failed writes that tell path,
 * errno and how far they got.
 *
 * <h2>Promises</h2>
 *
 * <ul>
 *   <li>All bytes are written or an exception is thrown. Interrupted and short writes are
 *       continued, a full non-blocking descriptor is waited for, and an interrupt of the thread
 *       neither cuts a write short nor is lost.
 *   <li>Bad arguments, and in the mode {@code REPORT} bad text, are refused before any system call.
 *   <li>A failed write leaves no descriptor open. A call that would have truncated leaves the old
 *       file as it was when it failed before its first byte, and otherwise a file that ends with
 *       what was written, never with a stale tail. Other calls never cut a file.
 *   <li>On ext2/3/4, XFS, tmpfs, F2FS and overlayfs a full disk does not cost the old file: what
 *       the new content needs beyond the old one is reserved before the first byte is touched. This
 *       does not hold on btrfs and ZFS, for a file that shares its blocks with another (reflink),
 *       in {@code truncate} mode, with {@code SYNC} or {@code DSYNC}, for lines ({@code write(file,
 *       lines)}), nor on the {@code nio} lane.
 *   <li>{@code flush} syncs once, after the last byte and any truncation, before the close, for
 *       paths and descriptors. The error of a sync is thrown and the sync is never repeated.
 *   <li>An append, or a write to a special file, that encodes to at most 1 MiB is one {@code
 *       write(2)}: such records don't interleave in a local regular file. In a pipe that holds up
 *       to 4,096 bytes only.
 *   <li>The memory of a write does not grow with the text beyond 1 MiB.
 * </ul>
 *
 * <h2>Not promised</h2>
 *
 * <ul>
 *   <li>Atomicity. A reader in the middle of an overwrite sees old and new bytes mixed, where
 *       truncating first would have shown it a short file; a crash in the middle can leave such a
 *       mix. {@link io.github.files2.Overwrite#TRUNCATE} restores the POSIX order.
 *   <li>Durability without {@code flush}: the bytes are in the page cache and reach the disk when
 *       the kernel gets to it, within about half a minute. (ext4 happens to start writing a
 *       truncated file at its close, which is what makes truncating slow there.)
 *   <li>That the name of a new file is durable: {@code flush} does not sync the folder.
 * </ul>
 *
 * <h2>Lanes</h2>
 *
 * Three lanes do the work; {@link io.github.files2.Files2#backendReport} tells which and why.
 *
 * <ul>
 *   <li>{@code shim}: our C library, one crossing a write. Linux on a processor that the jar has a
 *       library for.
 *   <li>{@code libc}: system calls through JNA. Linux on x86-64 and aarch64.
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
 * 100 ms in all. No path write waits for it. An {@code int} descriptor, or mode bits above 0777,
 * prepare it at once.
 *
 * <h2>Properties</h2>
 *
 * <ul>
 *   <li>{@code files2.backend}: {@code shim}, {@code libc} or {@code nio} forces a lane for the
 *       default file system, from the first call on; a write throws {@link
 *       java.lang.IllegalStateException} where it can't be had.
 *   <li>{@code files2.overwrite}: {@code in_place} (the default) or {@code truncate}.
 *   <li>{@code files2.simd}: {@code scalar}, {@code avx2} or {@code avx512} forces the shim's
 *       encoders.
 *   <li>{@code files2.strings}: {@code region} makes the shim read strings by JNI's functions
 *       alone.
 * </ul>
 *
 * <h2>Units, threads, errors</h2>
 *
 * Counts and sizes are bytes, text indexes are {@code char}s, modes are permission bits. All static
 * methods are safe for use by many threads. {@code ENOENT}, {@code EEXIST} and {@code EACCES} are
 * {@link java.nio.file.NoSuchFileException}, {@link java.nio.file.FileAlreadyExistsException} and
 * {@link java.nio.file.AccessDeniedException}; every other errno is a {@link
 * java.nio.file.FileSystemException} with the path (or {@code fd 7}) and a reason: operation,
 * errno's name and text. A write that failed after some bytes is a {@link
 * io.github.files2.PartialWriteException}. The first failure is thrown, later ones are suppressed
 * exceptions of it.
 */
package io.github.files2;
