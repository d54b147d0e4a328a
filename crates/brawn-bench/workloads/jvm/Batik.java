import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.util.Random;
import org.apache.batik.transcoder.TranscoderInput;
import org.apache.batik.transcoder.TranscoderOutput;
import org.apache.batik.transcoder.image.PNGTranscoder;

/** Draws generated SVG pictures. No text is in them, whose look would depend on the machine's fonts. */
final class Batik {
    public static void main(String[] arguments) throws Exception {
        Run.times(arguments[0], () -> {
            long sum = 0;
            for (int i = 0; i < 2; i++) {
                ByteArrayOutputStream picture = new ByteArrayOutputStream();
                new PNGTranscoder().transcode(new TranscoderInput(new StringReader(svg(i))), new TranscoderOutput(picture));
                sum += Run.digest(picture.toByteArray());
            }
            return Long.toString(sum);
        });
    }

    private static String svg(int number) {
        Random random = new Random(number);
        StringBuilder text = new StringBuilder("<svg xmlns='http://www.w3.org/2000/svg' width='700' height='700'><defs>"
            + "<linearGradient id='g'><stop offset='0' stop-color='#00f'/><stop offset='1' stop-color='#f80'/></linearGradient>"
            + "</defs>");
        for (int i = 0; i < 400; i++) {
            int x = random.nextInt(700);
            int y = random.nextInt(700);
            text.append("<path fill='").append(i % 5 == 0 ? "url(#g)" : String.format("#%06x", random.nextInt(1 << 24)))
                .append("' opacity='0.").append(1 + random.nextInt(9)).append("' transform='rotate(").append(random.nextInt(360))
                .append(' ').append(x).append(' ').append(y).append(")' d='M").append(x).append(' ').append(y).append(" c40 10 60 ")
                .append(random.nextInt(90)).append(" 90 20 q-30 50 -60 ").append(random.nextInt(60)).append(" z'/>");
        }
        return text.append("</svg>").toString();
    }
}
