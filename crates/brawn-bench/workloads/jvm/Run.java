import java.util.concurrent.Callable;
import java.util.zip.CRC32;

/** Does the same work several times in one process, as a JVM needs to get warm, and tells how long the last time took. */
final class Run {
    private Run() {
    }

    /** Every repetition must give the same answer, which goes to standard output. */
    static void times(String count, Callable<String> work) throws Exception {
        String answer = null;
        long last = 0;
        for (int i = 0; i < Integer.parseInt(count); i++) {
            long start = System.nanoTime();
            String found = work.call();
            last = System.nanoTime() - start;
            if (answer != null && !answer.equals(found)) {
                throw new IllegalStateException(answer + " before, " + found + " now");
            }
            answer = found;
        }
        System.out.println(answer);
        System.err.println("metric last_iteration_seconds " + last / 1e9);
    }

    /** Does `work` with the numbers below `count`, each in a thread of its own, and adds what comes out. */
    static long threads(int count, Part work) throws Exception {
        long[] sums = new long[count];
        Throwable[] failures = new Throwable[count];
        Thread[] threads = new Thread[count];
        for (int i = 0; i < count; i++) {
            int own = i;
            threads[i] = new Thread(() -> {
                try {
                    sums[own] = work.run(own);
                } catch (Throwable failure) {
                    failures[own] = failure;
                }
            });
            threads[i].start();
        }
        long sum = 0;
        for (int i = 0; i < count; i++) {
            threads[i].join();
            if (failures[i] != null) {
                throw new IllegalStateException(failures[i]);
            }
            sum += sums[i];
        }
        return sum;
    }

    /** A part of a work that threads share. */
    interface Part {
        long run(int number) throws Exception;
    }

    static long digest(byte[] bytes) {
        CRC32 digest = new CRC32();
        digest.update(bytes);
        return digest.getValue();
    }

    /** A sentence of made-up words; few words are frequent, many are rare. */
    static String words(java.util.Random random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            double skewed = random.nextDouble();
            int word = (int) (skewed * skewed * skewed * 20_000);
            text.append((char) ('a' + word % 26)).append(Integer.toString(word, 36)).append(' ');
        }
        return text.toString();
    }
}
