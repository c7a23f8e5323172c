package io.github.files2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is given back is found again by every thread, up to the limit. */
final class IdleSlotsTest {
  private final IdleSlots<String> slots = new IdleSlots<>(3);

  private static <T> T inThread(long id, Supplier<T> what)
      throws InterruptedException, ExecutionException {
    FutureTask<T> task = new FutureTask<>(what::get);
    Thread thread =
        new Thread(task) {
          @Override
          public long getId() {
            return id;
          }
        };
    thread.start();
    thread.join();
    return task.get();
  }

  private void giveBackIn(long thread, String object)
      throws InterruptedException, ExecutionException {
    inThread(
        thread,
        () -> {
          slots.giveBack(object);
          return "";
        });
  }

  @Test
  void take_nothingIdle_isNull() {
    assertThat(slots.take()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, 2, 3, Integer.MAX_VALUE + 1L, Long.MAX_VALUE})
  void take_givenBackByAnyThread_isFoundByAll(long id)
      throws InterruptedException, ExecutionException {
    for (long taker = -1; taker < 3; taker++) {
      giveBackIn(id, "idle");
      assertThat(inThread(taker, slots::take)).isEqualTo("idle");
      assertThat(inThread(id, slots::take)).isNull();
    }
  }

  @Test
  void take_severalIdle_isTheThreadsOwn() throws InterruptedException, ExecutionException {
    for (long id = 0; id < 3; id++) {
      giveBackIn(id, "of " + id);
    }
    for (long id : new long[] {1, 0, 2}) {
      assertThat(inThread(id, slots::take)).isEqualTo("of " + id);
    }
  }

  @Test
  void giveBack_moreThanTheLimit_keepsAsManyAsThat() {
    for (int i = 0; i < 5; i++) {
      slots.giveBack("object " + i);
    }
    Set<String> found = new HashSet<>();
    for (String taken = slots.take(); taken != null; taken = slots.take()) {
      assertThat(found.add(taken)).isTrue();
    }
    assertThat(found).hasSize(3);
  }
}
