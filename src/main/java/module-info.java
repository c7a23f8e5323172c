/** Fast, complete file writing: see {@link io.github.files2.Files2}. */
module io.github.files2 {
  requires com.sun.jna;

  exports io.github.files2;
}
