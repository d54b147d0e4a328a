import org.python.core.PyObject;
import org.python.util.PythonInterpreter;

/** Python on the JVM: objects, dictionaries, texts and generators. */
final class Jython {
    private static final String SCRIPT = """
        class Vector(object):
            def __init__(self, x, y):
                self.x, self.y = x, y
            def __add__(self, other):
                return Vector(self.x + other.x, self.y + other.y)

        def primes(limit):
            sieve = [True] * limit
            for i in range(2, limit):
                if sieve[i]:
                    yield i
                    for j in range(i * i, limit, i):
                        sieve[j] = False

        def work():
            total = Vector(0, 0)
            for i in range(60000):
                total = total + Vector(i, i % 7)
            counts = {}
            for i in range(40000):
                word = 'w%d' % (i * i % 997)
                counts[word] = counts.get(word, 0) + 1
            text = ','.join(sorted(counts, key=lambda word: (counts[word], word)))
            return '%d %d %d %d %d' % (total.x, total.y, len(counts), sum(primes(60000)), len(text.split('w')))
        """;

    public static void main(String[] arguments) throws Exception {
        try (PythonInterpreter interpreter = new PythonInterpreter()) {
            interpreter.exec(SCRIPT);
            PyObject work = interpreter.get("work");
            Run.times(arguments[0], () -> work.__call__().toString());
        }
    }
}
