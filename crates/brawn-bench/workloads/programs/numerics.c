// Numbers whose time is libm's: prices of options, distances on a sphere, and tones in single precision.
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { OPTIONS = 400000, PLACES = 1000, SAMPLES = 1500000 };

static uint64_t state = 1;

// Uniform between two bounds.
static double between(double low, double high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(state >> 11) * 0x1p-53);
}

static double normal(double x) {
    return 0.5 * erfc(-x * M_SQRT1_2);
}

// By Black and Scholes: the call's price, and how far it is from what the put's price says of it.
static double options(double *apart) {
    double sum = 0;
    for (int i = 0; i < OPTIONS; i++) {
        double spot = between(10, 200), strike = between(10, 200), years = between(0.1, 5),
               wild = between(0.05, 0.9);
        double now = strike * exp(-0.03 * years), spread = wild * sqrt(years);
        double up = (log(spot / strike) + 0.03 * years) / spread + spread / 2;
        double call = spot * normal(up) - now * normal(up - spread);
        double put = now * normal(spread - up) - spot * normal(-up);
        *apart = fmax(*apart, fabs(call - put - (spot - now)));
        sum += call * pow(1 + wild / 12, -12 * years);
    }
    return sum;
}

// By haversines, all pairs of places.
static double distances(void) {
    static double latitude[PLACES], longitude[PLACES];
    double sum = 0;
    for (int i = 0; i < PLACES; i++) {
        latitude[i] = asin(between(-1, 1));
        longitude[i] = between(-M_PI, M_PI);
        for (int j = 0; j < i; j++) {
            double high = sin((latitude[i] - latitude[j]) / 2), wide = sin((longitude[i] - longitude[j]) / 2);
            double part = high * high + cos(latitude[i]) * cos(latitude[j]) * wide * wide;
            sum += 12742 * atan2(sqrt(part), sqrt(1 - part));
        }
    }
    return sum;
}

// A bell: notes of the scale that fade, bent by tanh, as decibels.
static double tones(void) {
    double sum = 0;
    for (int i = 0; i < SAMPLES; i++) {
        float seconds = (float)i / 44100, pitch = 440 * exp2f((float)(i % 48 - 24) / 12);
        float wave = sinf(6.2831853f * fmodf(pitch * seconds, 1)) * expf(-seconds / 8);
        sum += 20 * log10f(fabsf(tanhf(2 * wave)) + 1e-3f) + powf(fabsf(wave) + 0.5f, 1.7f);
    }
    return sum;
}

int main(void) {
    double apart = 0, sum = options(&apart);
    printf("options %.9g, parity %s\n", sum, apart < 1e-11 ? "kept" : "broken");
    printf("distances %.9g\n", distances());
    printf("tones %.5g\n", tones());
    return 0;
}
