import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Random;

/** A bank in a database in memory: four tellers move money between accounts, one transaction each time. */
final class H2 {
    private static final String URL = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000";
    private static final int ACCOUNTS = 5_000;
    private static final int TELLERS = 4;
    private static final int MOVES = 4_000;

    public static void main(String[] arguments) throws Exception {
        Run.times(arguments[0], H2::bank);
    }

    private static String bank() throws Exception {
        try (Connection connection = DriverManager.getConnection(URL); Statement plain = connection.createStatement()) {
            plain.execute("DROP ALL OBJECTS");
            plain.execute("CREATE TABLE account(id INT PRIMARY KEY, branch INT, balance BIGINT, note VARCHAR)");
            plain.execute("CREATE TABLE history(id IDENTITY, source INT, target INT, amount INT, note VARCHAR)");
            plain.execute("CREATE INDEX branches ON account(branch)");
            Random random = new Random(1);
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO account VALUES(?, ?, 1000, ?)")) {
                for (int i = 0; i < ACCOUNTS; i++) {
                    insert.setInt(1, i);
                    insert.setInt(2, i % 50);
                    insert.setString(3, Run.words(random, 8));
                    insert.execute();
                }
            }
            Run.threads(TELLERS, H2::teller);
            StringBuilder answer = new StringBuilder();
            try (ResultSet rows = plain.executeQuery("SELECT SUM(balance), COUNT(DISTINCT branch) FROM account")) {
                rows.next();
                answer.append(rows.getLong(1)).append(' ').append(rows.getInt(2));
            }
            try (ResultSet rows = plain.executeQuery("SELECT COUNT(*), SUM(amount) FROM history")) {
                rows.next();
                answer.append(' ').append(rows.getInt(1)).append(' ').append(rows.getLong(2));
            }
            return answer.toString();
        }
    }

    /** Each teller has accounts of its own, so that none waits for another's row for long. */
    private static long teller(int number) throws Exception {
        Random random = new Random(number + 10);
        try (Connection connection = DriverManager.getConnection(URL);
                PreparedStatement take = connection.prepareStatement("UPDATE account SET balance = balance - ? WHERE id = ?");
                PreparedStatement give = connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = ?");
                PreparedStatement note = connection.prepareStatement(
                    "INSERT INTO history(source, target, amount, note) VALUES(?, ?, ?, ?)");
                PreparedStatement look = connection.prepareStatement("SELECT balance, note FROM account WHERE id = ?")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < MOVES; i++) {
                int source = random.nextInt(ACCOUNTS / TELLERS) * TELLERS + number;
                int target = random.nextInt(ACCOUNTS / TELLERS) * TELLERS + number;
                int amount = random.nextInt(100);
                look.setInt(1, source);
                String text;
                try (ResultSet row = look.executeQuery()) {
                    row.next();
                    text = row.getString(2);
                }
                take.setInt(1, amount);
                take.setInt(2, source);
                take.execute();
                give.setInt(1, amount);
                give.setInt(2, target);
                give.execute();
                note.setInt(1, source);
                note.setInt(2, target);
                note.setInt(3, amount);
                note.setString(4, text);
                note.execute();
                connection.commit();
            }
        }
        return 0;
    }
}
