package io.github.files2;

import java.util.Locale;

/** The system properties of Files2, read when a native lane is prepared. Immutable. */
record Settings(
    String simd, boolean truncatesByDefault, boolean readsStringsByRegion, boolean hasUtf8Paths) {
  /** Forces a lane: {@code shim}, {@code libc} or {@code nio}. */
  static final String BACKEND = "files2.backend";

  /** Forces the encoders of the shim: {@code scalar}, {@code avx2} or {@code avx512}. */
  static final String SIMD = "files2.simd";

  /**
   * Tells what {@link Overwrite} a write without one gets: {@code in_place} or {@code truncate}.
   */
  static final String OVERWRITE = "files2.overwrite";

  /** {@code region} makes the shim read strings without their fields, as it must on some JVMs. */
  static final String STRINGS = "files2.strings";

  /**
   * Reads the properties.
   *
   * @throws IllegalStateException if one has a value that means nothing
   */
  static Settings read() {
    String overwrite = System.getProperty(OVERWRITE, "in_place").toLowerCase(Locale.ROOT);
    if (!overwrite.equals("in_place") && !overwrite.equals("truncate")) {
      throw new IllegalStateException(
          OVERWRITE + "=" + overwrite + " is not one of in_place, truncate");
    }
    String strings = System.getProperty(STRINGS, "fields");
    if (!strings.equals("fields") && !strings.equals("region")) {
      throw new IllegalStateException(STRINGS + "=" + strings + " is not one of fields, region");
    }
    return new Settings(
        System.getProperty(SIMD, ""),
        overwrite.equals("truncate"),
        strings.equals("region"),
        "UTF-8".equalsIgnoreCase(System.getProperty("sun.jnu.encoding")));
  }
}
