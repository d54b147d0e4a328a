import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.WildcardQuery;
import org.apache.lucene.store.FSDirectory;

/** Makes an index of generated texts (`index`), or searches one in four threads (`search`). */
final class Lucene {
    private static final int TEXTS = 6_000;

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("brawn-lucene-");
        try {
            if (arguments[1].equals("index")) {
                Run.times(arguments[0], () -> index(folder));
            } else {
                index(folder);
                try (FSDirectory directory = FSDirectory.open(folder); DirectoryReader reader = DirectoryReader.open(directory)) {
                    IndexSearcher searcher = new IndexSearcher(reader);
                    Run.times(arguments[0], () -> Long.toString(Run.threads(4, number -> search(searcher, number))));
                }
            }
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
            }
        }
    }

    private static String index(Path folder) throws Exception {
        IndexWriterConfig settings = new IndexWriterConfig(new StandardAnalyzer());
        settings.setOpenMode(IndexWriterConfig.OpenMode.CREATE).setRAMBufferSizeMB(4);
        Random random = new Random(2);
        try (FSDirectory directory = FSDirectory.open(folder); IndexWriter writer = new IndexWriter(directory, settings)) {
            for (int i = 0; i < TEXTS; i++) {
                Document text = new Document();
                text.add(new StringField("id", Integer.toString(i), Field.Store.YES));
                text.add(new TextField("body", Run.words(random, 200), Field.Store.YES));
                writer.addDocument(text);
                if (i % 10 == 9) {
                    writer.deleteDocuments(new Term("id", Integer.toString(i - 5)));
                }
            }
            writer.commit();
            writer.forceMerge(1);
        }
        try (FSDirectory directory = FSDirectory.open(folder); DirectoryReader reader = DirectoryReader.open(directory)) {
            return reader.numDocs() + " " + reader.getSumTotalTermFreq("body");
        }
    }

    private static long search(IndexSearcher searcher, int number) throws Exception {
        Random random = new Random(number + 20);
        long sum = 0;
        for (int i = 0; i < 400; i++) {
            String[] words = Run.words(random, 3).split(" ");
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            query.add(new TermQuery(new Term("body", words[0])), BooleanClause.Occur.SHOULD);
            query.add(new TermQuery(new Term("body", words[1])), BooleanClause.Occur.SHOULD);
            query.add(new PhraseQuery(2, "body", words[1], words[2]), BooleanClause.Occur.SHOULD);
            if (i % 10 == 0) {
                query.add(new WildcardQuery(new Term("body", words[2].charAt(0) + "1*")), BooleanClause.Occur.SHOULD);
            }
            TopDocs found = searcher.search(query.build(), 10);
            for (int hit = 0; hit < Math.min(3, found.scoreDocs.length); hit++) {
                sum += searcher.storedFields().document(found.scoreDocs[hit].doc).get("body").length();
            }
            sum += found.scoreDocs.length;
        }
        return sum;
    }
}
