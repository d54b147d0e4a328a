import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.StringReader;
import java.util.Random;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.sax.SAXResult;
import javax.xml.transform.stream.StreamSource;
import org.apache.fop.apps.FOUserAgent;
import org.apache.fop.apps.Fop;
import org.apache.fop.apps.FopFactory;
import org.apache.fop.apps.MimeConstants;

/** Sets a generated report with headings, paragraphs and tables as a PDF, in a font that every PDF reader has. */
final class FopReport {
    public static void main(String[] arguments) throws Exception {
        FopFactory factory = FopFactory.newInstance(new File(".").toURI());
        String report = report();
        Run.times(arguments[0], () -> {
            ByteArrayOutputStream pdf = new ByteArrayOutputStream();
            FOUserAgent agent = factory.newFOUserAgent();
            agent.setCreationDate(new java.util.Date(0));
            Fop fop = factory.newFop(MimeConstants.MIME_PDF, agent, pdf);
            TransformerFactory.newInstance().newTransformer()
                .transform(new StreamSource(new StringReader(report)), new SAXResult(fop.getDefaultHandler()));
            return fop.getResults().getPageCount() + " pages";
        });
    }

    private static String report() {
        Random random = new Random(3);
        StringBuilder text = new StringBuilder("<fo:root xmlns:fo='http://www.w3.org/1999/XSL/Format'><fo:layout-master-set>"
            + "<fo:simple-page-master master-name='a' page-height='29.7cm' page-width='21cm' margin='2cm'><fo:region-body/>"
            + "</fo:simple-page-master></fo:layout-master-set><fo:page-sequence master-reference='a'>"
            + "<fo:flow flow-name='xsl-region-body' font-family='Times' font-size='10pt'>");
        for (int section = 0; section < 40; section++) {
            text.append("<fo:block font-size='14pt' font-weight='bold'>").append(Run.words(random, 4)).append("</fo:block>");
            for (int i = 0; i < 5; i++) {
                text.append("<fo:block text-align='justify'>").append(Run.words(random, 90)).append("</fo:block>");
            }
            text.append("<fo:table table-layout='fixed' width='100%'><fo:table-body>");
            for (int row = 0; row < 10; row++) {
                text.append("<fo:table-row>");
                for (int cell = 0; cell < 4; cell++) {
                    text.append("<fo:table-cell border='1pt solid black'><fo:block>").append(Run.words(random, 3))
                        .append("</fo:block></fo:table-cell>");
                }
                text.append("</fo:table-row>");
            }
            text.append("</fo:table-body></fo:table>");
        }
        return text.append("</fo:flow></fo:page-sequence></fo:root>").toString();
    }
}
