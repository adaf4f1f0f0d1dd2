/* Exact harmonic dynamics of a Gaussian N(0, sd² I) on the polytope of 500 random
 * unit normals in 50 coordinates, a·x ≤ 1, in C: the baseline of the harmonic
 * kernel. A path turns by π/2 with a fresh velocity and is mirrored at every facet
 * that it meets (Pakman and Paninski 2014). Slacks and rates of all facets are kept
 * along a path, by the products of all pairs of rows; times are told by the tangent
 * of half the angle, so that no facet needs a sine, and few a square root.
 *
 *   harmonic DRAWS SD   prints CPU nanoseconds per draw and what it sampled
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { M = 500, D = 50, P = 56, CAP = 1000 }; /* rows are padded to P */
static double a[M][P], gram[M][M], slack[M], rate[M];

/* the polytope: Box and Muller on splitmix64 */
static uint64_t state = 1;
static double uniform(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}
static double normal(void) {
    double r = sqrt(-2 * log(uniform()));
    return r * cos(6.283185307179586476925 * uniform());
}

/* the noise: a ziggurat of 256 layers (Doornik 2005), as in chain.c */
enum { LAYERS = 256 };
static double edge[LAYERS + 1], share[LAYERS];
static const double TAIL = 3.6541528853610088, AREA = 4.92867323399e-3;
static void ziggurat(void) {
    double f = exp(-0.5 * TAIL * TAIL);
    edge[0] = AREA / f;
    edge[1] = TAIL;
    for (int i = 2; i < LAYERS; i++) {
        edge[i] = sqrt(-2 * log(AREA / edge[i - 1] + f));
        f = exp(-0.5 * edge[i] * edge[i]);
    }
    for (int i = 0; i < LAYERS; i++) share[i] = edge[i + 1] / edge[i];
}
static uint64_t g[4];
static inline uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }
static inline uint64_t bits(void) { /* xoshiro256++ */
    uint64_t out = turn(g[0] + g[3], 23) + g[0], t = g[1] << 17;
    g[2] ^= g[0]; g[3] ^= g[1]; g[1] ^= g[2]; g[0] ^= g[3]; g[2] ^= t; g[3] = turn(g[3], 45);
    return out;
}
static double noise(void) {
    for (;;) {
        uint64_t b = bits();
        int i = b & 255;
        double u = (double)((int64_t)b >> 11) * 0x1p-52;
        if (fabs(u) < share[i]) return u * edge[i];
        if (i == 0) {
            double x, y;
            do { x = -log(uniform()) / TAIL; y = -log(uniform()); } while (2 * y < x * x);
            return u < 0 ? -TAIL - x : TAIL + x;
        }
        double x = u * edge[i];
        double top = exp(-0.5 * (edge[i + 1] * edge[i + 1] - x * x)), low = exp(-0.5 * (edge[i] * edge[i] - x * x));
        if (low + uniform() * (top - low) < 1) return x;
    }
}

static void begin(const double *x, const double *u) {
    for (int i = 0; i < M; i++) {
        double s = 0, t = 0;
        for (int j = 0; j < P; j++) { s += a[i][j] * x[j]; t += a[i][j] * u[j]; }
        slack[i] = fmax(1 - s, 0);
        rate[i] = t;
    }
}

/* the facet that the path meets first before *s, -1 if there is none */
static int first(double *s) {
    int wall = -1;
    for (int i = 0; i < M; i++) {
        double e = slack[i], r = rate[i];
        if (!(e < 2 * *s * r || e > 2)) continue;
        double q = 2 - e, root = r * r - q * e;
        if (root < 0) continue;
        double t = r >= 0 ? e / (r + sqrt(root)) : (r - sqrt(root)) / q;
        if (t < *s) { *s = t; wall = i; }
    }
    return wall;
}

int main(int argc, char **argv) {
    long draws = argc > 1 ? atol(argv[1]) : 100000;
    double sd = argc > 2 ? atof(argv[2]) : 0.5, x[P] = {0}, u[P] = {0}, square = 0;
    for (int i = 0; i < M; i++) {
        double sum = 0;
        for (int j = 0; j < D; j++) { a[i][j] = normal(); sum += a[i][j] * a[i][j]; }
        for (int j = 0; j < D; j++) a[i][j] /= sqrt(sum);
    }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            for (int k = 0; k < D; k++) gram[i][j] += a[i][k] * a[j][k];
    ziggurat();
    for (int i = 0; i < 4; i++) g[i] = (uint64_t)(uniform() * 0x1p63);
    long hits = 0, stuck = 0;
    struct timespec b, e;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    for (long k = 0; k < draws; k++) {
        double from[P], end = 1;
        memcpy(from, x, sizeof x);
        for (int j = 0; j < D; j++) u[j] = sd * noise();
        begin(x, u);
        for (int n = 0;; n++) {
            double s = end;
            int w = first(&s);
            double sine = 2 * s / (1 + s * s), versine = s * sine, cosine = 1 - versine;
            for (int j = 0; j < P; j++) {
                double v = u[j];
                u[j] = cosine * v - sine * x[j];
                x[j] = cosine * x[j] + sine * v;
            }
            if (w < 0) break;
            if (n == CAP) { stuck++; memcpy(x, from, sizeof x); break; }
            double c = 2 * (cosine * rate[w] - sine * (1 - slack[w]));
            for (int j = 0; j < P; j++) u[j] -= c * a[w][j];
            for (int i = 0; i < M; i++) {
                double r = rate[i], f = slack[i];
                rate[i] = cosine * r - sine * (1 - f) - c * gram[w][i];
                slack[i] = fmax(cosine * f + versine - sine * r, 0);
            }
            end = (end - s) / (1 + end * s);
            hits++;
        }
        for (int j = 0; j < D; j++) square += x[j] * x[j];
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &e);
    double ns = (e.tv_sec - b.tv_sec) * 1e9 + (e.tv_nsec - b.tv_nsec);
    printf("%.0f ns/draw  hits %.3f  stuck %ld  mean square %.5f\n", ns / draws, (double)hits / draws, stuck, square / draws / D);
    return 0;
}
