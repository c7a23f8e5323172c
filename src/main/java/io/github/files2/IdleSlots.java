package io.github.files2;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A few idle objects for reuse. Taking and giving back never wait; what comes back beyond the limit
 * is left to the collector. Not bound to threads, since virtual threads are many, but a thread
 * looks into the same slot first, so that it gets back what its core has in the cache. Safe for use
 * by many threads.
 */
final class IdleSlots<T> {
  /** References in a cache line, if they are compressed: a slot has one for itself. */
  private static final int STRIDE = 64 / 4;

  private final AtomicReferenceArray<T> idle;
  private final int slots;

  IdleSlots(int maxIdle) {
    this.idle = new AtomicReferenceArray<>(maxIdle * STRIDE);
    this.slots = maxIdle;
  }

  /** Returns an idle object, or {@code null} where there is none. */
  T take() {
    int slot = ownSlot();
    for (int i = 0; i < slots; i++) {
      // Looking first keeps an empty slot's cache line shared.
      if (idle.getPlain(slot * STRIDE) != null) {
        T taken = idle.getAndSet(slot * STRIDE, null);
        if (taken != null) {
          return taken;
        }
      }
      slot = next(slot);
    }
    return null;
  }

  void giveBack(T object) {
    int slot = ownSlot();
    for (int i = 0; i < slots; i++) {
      if (idle.getPlain(slot * STRIDE) == null && idle.compareAndSet(slot * STRIDE, null, object)) {
        return;
      }
      slot = next(slot);
    }
  }

  /** Threads that are started together have ids that follow each other. */
  private int ownSlot() {
    // A subclass of Thread may give any id.
    return Math.floorMod(Thread.currentThread().getId(), slots);
  }

  private int next(int slot) {
    return slot + 1 < slots ? slot + 1 : 0;
  }
}
