import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import net.sourceforge.pmd.PMDConfiguration;
import net.sourceforge.pmd.PmdAnalysis;
import net.sourceforge.pmd.lang.LanguageRegistry;
import net.sourceforge.pmd.lang.document.FileId;
import net.sourceforge.pmd.reporting.Report;
import net.sourceforge.pmd.reporting.RuleViolation;

/** Looks for flaws in a package of commons-io, whose jar of sources is the second argument, in two threads. */
final class Pmd {
    private static final String PACKAGE = "org/apache/commons/io/output/";
    private static final int SOURCES = 40;

    /** Rules written in Java. Those that are XPath expressions would measure an XPath processor instead. */
    private static final Map<String, List<String>> RULES = Map.of(
        "bestpractices", List.of("AccessorMethodGeneration", "AvoidReassigningParameters", "AvoidUsingHardCodedIP",
            "ForLoopCanBeForeach", "LiteralsFirstInComparisons", "LooseCoupling", "MissingOverride", "UnusedAssignment",
            "UnusedFormalParameter", "UnusedLocalVariable", "UnusedPrivateField", "UnusedPrivateMethod", "UseCollectionIsEmpty"),
        "codestyle", List.of("ClassNamingConventions", "ConfusingTernary", "LocalVariableCouldBeFinal",
            "MethodArgumentCouldBeFinal", "OnlyOneReturn", "PrematureDeclaration", "UnnecessaryCast",
            "UnnecessaryFullyQualifiedName", "UnnecessaryImport", "UnnecessaryModifier", "UselessParentheses"),
        "design", List.of("CognitiveComplexity", "CouplingBetweenObjects", "CyclomaticComplexity", "GodClass",
            "ImmutableField", "LawOfDemeter", "NPathComplexity", "NcssCount", "SimplifyBooleanReturns", "SingularField"),
        "documentation", List.of("CommentRequired", "CommentSize"),
        "errorprone", List.of("AvoidDuplicateLiterals", "CloseResource", "ConstructorCallsOverridableMethod",
            "ImplicitSwitchFallThrough", "NullAssignment"),
        "performance", List.of("AvoidInstantiatingObjectsInLoops", "ConsecutiveLiteralAppends", "InefficientStringBuffering",
            "InsufficientStringBufferDeclaration", "RedundantFieldInitializer"));

    /** What must be found by rules that look at the text alone. Others follow types into the JDK, which differs. */
    private static final Map<String, Integer> KNOWN =
        Map.of("AvoidDuplicateLiterals", 3, "AvoidReassigningParameters", 2, "CognitiveComplexity", 1, "CommentSize", 356,
            "OnlyOneReturn", 5);

    public static void main(String[] arguments) throws Exception {
        Map<String, String> sources = sources(Path.of(arguments[1]));
        if (sources.size() != SOURCES) {
            throw new IllegalStateException(sources.size() + " sources");
        }
        Run.times(arguments[0], () -> look(sources));
    }

    /** How many violations of each rule there are. */
    private static String look(Map<String, String> sources) {
        PMDConfiguration settings = new PMDConfiguration();
        settings.setDefaultLanguageVersion(LanguageRegistry.PMD.getLanguageById("java").getVersion("17"));
        settings.setThreads(2);
        settings.setIgnoreIncrementalAnalysis(true);
        RULES.forEach((category, rules) ->
            rules.forEach(rule -> settings.addRuleSet("category/java/" + category + ".xml/" + rule)));
        Report report;
        try (PmdAnalysis analysis = PmdAnalysis.create(settings)) {
            sources.forEach((name, text) -> analysis.files().addSourceFile(FileId.fromPathLikeString(name), text));
            report = analysis.performAnalysisAndCollectReport();
        }
        for (Report.ProcessingError error : report.getProcessingErrors()) {
            throw new IllegalStateException(error.getFileId() + ": " + error.getMsg());
        }
        for (Report.ConfigurationError error : report.getConfigurationErrors()) {
            throw new IllegalStateException(error.rule().getName() + ": " + error.issue());
        }
        Map<String, Integer> found = new TreeMap<>();
        for (RuleViolation violation : report.getViolations()) {
            found.merge(violation.getRule().getName(), 1, Integer::sum);
        }
        KNOWN.forEach((rule, count) -> {
            if (!count.equals(found.get(rule))) {
                throw new IllegalStateException(rule + ": " + found.get(rule) + " instead of " + count);
            }
        });
        return report.getViolations().size() + " " + found;
    }

    private static Map<String, String> sources(Path jar) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (InputStream file = Files.newInputStream(jar); ZipInputStream archive = new ZipInputStream(file)) {
            for (ZipEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                if (entry.getName().startsWith(PACKAGE) && entry.getName().endsWith(".java")) {
                    sources.put(entry.getName(), new String(archive.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        }
        return sources;
    }
}
