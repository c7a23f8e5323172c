/** Fast, complete file writing. */
package io.github.files2;
