import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.util.Random;
import javax.xml.transform.Templates;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.stream.StreamResult;
import javax.xml.transform.stream.StreamSource;

/** Stylesheets that sort, count and nest, over generated documents, in two threads. */
final class Xalan {
    private static final int DOCUMENTS = 40;

    private static final String STYLE = """
        <xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
          <xsl:key name="kind" match="item" use="@kind"/>
          <xsl:template match="/list"><html><body>
            <p><xsl:value-of select="count(item)"/> of <xsl:value-of select="sum(item/@price)"/></p>
            <xsl:for-each select="item[generate-id() = generate-id(key('kind', @kind)[1])]">
              <xsl:sort select="@kind"/>
              <h1><xsl:value-of select="@kind"/>: <xsl:value-of select="count(key('kind', @kind))"/></h1>
              <xsl:apply-templates select="key('kind', @kind)"><xsl:sort select="@price" data-type="number"/></xsl:apply-templates>
            </xsl:for-each></body></html>
          </xsl:template>
          <xsl:template match="item">
            <li class="{translate(@kind, 'abcdef', 'ABCDEF')}"><xsl:value-of select="substring(normalize-space(text), 1, 60)"/>
              <xsl:if test="position() mod 3 = 0"><b><xsl:value-of select="format-number(@price, '#,##0.00')"/></b></xsl:if>
            </li>
          </xsl:template>
        </xsl:stylesheet>
        """;

    public static void main(String[] arguments) throws Exception {
        TransformerFactory factory = TransformerFactory.newInstance("org.apache.xalan.processor.TransformerFactoryImpl", null);
        Templates style = factory.newTemplates(new StreamSource(new StringReader(STYLE)));
        Run.times(arguments[0], () -> Long.toString(Run.threads(2, number -> documents(style, number))));
    }

    private static long documents(Templates style, int number) throws Exception {
        long sum = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            ByteArrayOutputStream result = new ByteArrayOutputStream();
            StreamSource source = new StreamSource(new StringReader(document(number * DOCUMENTS + i)));
            style.newTransformer().transform(source, new StreamResult(result));
            sum += Run.digest(result.toByteArray());
        }
        return sum;
    }

    private static String document(int number) {
        Random random = new Random(number);
        StringBuilder text = new StringBuilder("<list>");
        for (int i = 0; i < 600; i++) {
            text.append("<item kind='").append(Run.words(random, 1).trim().charAt(0)).append("' price='")
                .append(random.nextInt(100_000) / 100.0).append("'><text>").append(Run.words(random, 25)).append("</text></item>");
        }
        return text.append("</list>").toString();
    }
}
