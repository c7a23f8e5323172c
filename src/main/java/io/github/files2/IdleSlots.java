package io.github.files2;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A few idle objects for reuse. Taking and giving back never wait; what comes back beyond the limit
 * is left to the collector. Not bound to threads, since virtual threads are many. Safe for use by
 * many threads.
 */
final class IdleSlots<T> {
  private final AtomicReferenceArray<T> idle;

  IdleSlots(int maxIdle) {
    this.idle = new AtomicReferenceArray<>(maxIdle);
  }

  /** Returns an idle object, or {@code null} where there is none. */
  T take() {
    for (int i = 0; i < idle.length(); i++) {
      // Looking first keeps an empty slot's cache line shared.
      if (idle.getPlain(i) != null) {
        T taken = idle.getAndSet(i, null);
        if (taken != null) {
          return taken;
        }
      }
    }
    return null;
  }

  void giveBack(T object) {
    for (int i = 0; i < idle.length(); i++) {
      if (idle.getPlain(i) == null && idle.compareAndSet(i, null, object)) {
        return;
      }
    }
  }
}
