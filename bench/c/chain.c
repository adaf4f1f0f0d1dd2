/* One chain step of the two-rung sampler on the flower, in C: the baseline of
 * `make bench`. Two replicas (τ 1 and 10, step 5e-4 and 1.5e-3) take Langevin
 * steps on U = ((x²+y²)/10 − cos 2πx − cos 2πy)/0.5 with normal noise of sd 0.05
 * on gradients and energies, are mirrored at the nearest point of the flower
 * r(θ) = s(sin 5θ + 3), s = 2/3.5, and trade by the Metropolis rule. Sine and
 * cosine of a new point are computed once, for its energy and its next gradient.
 *
 *   chain STEPS   prints CPU nanoseconds per chain step and what it sampled
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PI2 6.283185307179586476925
static const double S = 2.0 / 3.5;

/* xoshiro256++ (Blackman and Vigna) */
static uint64_t g[4];
static inline uint64_t turn(uint64_t x, int k) { return x << k | x >> (64 - k); }
static inline uint64_t bits(void) {
    uint64_t out = turn(g[0] + g[3], 23) + g[0], t = g[1] << 17;
    g[2] ^= g[0]; g[3] ^= g[1]; g[1] ^= g[2]; g[0] ^= g[3]; g[2] ^= t; g[3] = turn(g[3], 45);
    return out;
}
static inline double uniform(void) { return ((bits() >> 11) + 0.5) * 0x1p-53; }
static void seed(uint64_t x) {
    for (int i = 0; i < 4; i++) {
        uint64_t z = x += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        g[i] = z ^ z >> 31;
    }
}

/* Standard normal by a ziggurat of 256 layers (Doornik 2005): edge[i] is the
 * right end of layer i, share[i] the part of it that lies under the curve. */
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
    edge[LAYERS] = 0;
    for (int i = 0; i < LAYERS; i++) share[i] = edge[i + 1] / edge[i];
}
static double normal_slow(int i, double u) {
    for (;;) {
        if (i == 0) {
            double x, y;
            do { x = -log(uniform()) / TAIL; y = -log(uniform()); } while (2 * y < x * x);
            return u < 0 ? -TAIL - x : TAIL + x;
        }
        double x = u * edge[i], top = exp(-0.5 * (edge[i + 1] * edge[i + 1] - x * x)), low = exp(-0.5 * (edge[i] * edge[i] - x * x));
        if (low + uniform() * (top - low) < 1) return x;
        uint64_t b = bits();
        i = b & 255;
        u = (double)((int64_t)b >> 11) * 0x1p-52;
        if (fabs(u) < share[i]) return u * edge[i];
    }
}
static inline double normal(void) {
    uint64_t b = bits();
    int i = b & 255;
    double u = (double)((int64_t)b >> 11) * 0x1p-52;
    return fabs(u) < share[i] ? u * edge[i] : normal_slow(i, u);
}

/* sin and cos of 2πx: fold to an eighth of a turn, Taylor to 1e-11, unfold. */
static inline void turns(double x, double *sine, double *cosine) {
    double quarter = rint(4 * x), r = (x - 0.25 * quarter) * PI2, z = r * r;
    double s = r * (1 + z * (-1. / 6 + z * (1. / 120 + z * (-1. / 5040 + z * (1. / 362880 - z / 39916800)))));
    double c = 1 + z * (-.5 + z * (1. / 24 + z * (-1. / 720 + z * (1. / 40320 + z * (-1. / 3628800 + z / 479001600)))));
    int64_t q = (int64_t)quarter;
    double a = q & 1 ? c : s, b = q & 1 ? s : c;
    *sine = q & 2 ? -a : a;
    *cosine = (q + 1) & 2 ? -b : b;
}

static inline int inside(double x, double y) {
    double x2 = x * x, y2 = y * y, r2 = x2 + y2, r = sqrt(r2);
    return (r - 3 * S) * r2 * r2 * r <= S * y * (5 * x2 * x2 - 10 * x2 * y2 + y2 * y2);
}

/* Mirrors (x, y) at the nearest point of the curve: a table of 128 points around
 * the polar angle for a start, then Newton kept within the neighbours. */
enum { POINTS = 128, WINDOW = 16, CAP = 20 };
static double px[POINTS], py[POINTS];
static int mirror(double *x, double *y) {
    int n = 0;
    for (; !inside(*x, *y); n++) {
        if (n == CAP) return -1;
        int k0 = (int)lrint(atan2(*y, *x) * (POINTS / PI2)), best = k0;
        double nearest = 1e300;
        for (int k = k0 - WINDOW; k <= k0 + WINDOW; k++) {
            double dx = px[k & (POINTS - 1)] - *x, dy = py[k & (POINTS - 1)] - *y, q = dx * dx + dy * dy;
            if (q < nearest) { nearest = q; best = k; }
        }
        double step = PI2 / POINTS, t = best * step, low = t - step, high = t + step, cx = 0, cy = 0;
        for (int i = 0; i < 20; i++) {
            double c = cos(t), s = sin(t), s5 = sin(5 * t), c5 = cos(5 * t);
            double r = S * (s5 + 3), r1 = 5 * S * c5, r2 = -25 * S * s5;
            double tx = r1 * c - r * s, ty = r1 * s + r * c;
            cx = r * c; cy = r * s;
            double dx = cx - *x, dy = cy - *y, f = dx * tx + dy * ty;
            if (f > 0) high = t; else low = t;
            double h = tx * tx + ty * ty + dx * ((r2 - r) * c - 2 * r1 * s) + dy * ((r2 - r) * s + 2 * r1 * c);
            double next = h > 0 ? t - f / h : 0.5 * (low + high);
            if (!(next > low && next < high)) next = 0.5 * (low + high);
            double moved = fabs(next - t);
            t = next;
            if (moved < 1e-10) break;
        }
        *x = 2 * cx - *x;
        *y = 2 * cy - *y;
    }
    return n;
}

typedef struct { double x, y, gx, gy, u; } replica;

int main(int argc, char **argv) {
    long iterations = argc > 1 ? atol(argv[1]) / 2 : 5000000;
    const double eta[2] = {5e-4, 1.5e-3}, sd[2] = {sqrt(2 * 5e-4), sqrt(2 * 1.5e-3 * 10)};
    ziggurat();
    seed(1);
    for (int k = 0; k < POINTS; k++) {
        double t = PI2 * k / POINTS, r = S * (sin(5 * t) + 3);
        px[k] = r * cos(t);
        py[k] = r * sin(t);
    }
    replica c[2] = {{0}};
    long swaps = 0, hit = 0, lost = 0;
    double sum = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (long k = 0; k < iterations; k++) {
        double noisy[2];
        for (int i = 0; i < 2; i++) {
            replica *p = &c[i];
            double x = p->x - eta[i] * (p->gx + .05 * normal()) + sd[i] * normal();
            double y = p->y - eta[i] * (p->gy + .05 * normal()) + sd[i] * normal();
            if (!inside(x, y)) {
                hit++;
                if (mirror(&x, &y) < 0) { lost++; x = p->x; y = p->y; }
            }
            double sx, cx, sy, cy, r2 = x * x + y * y;
            turns(x, &sx, &cx);
            turns(y, &sy, &cy);
            *p = (replica){x, y, .4 * x + 2 * PI2 * sx, .4 * y + 2 * PI2 * sy, .2 * r2 - 2 * (cx + cy)};
            noisy[i] = p->u + .05 * normal();
        }
        sum += c[0].u;
        double s = .9 * (noisy[0] - noisy[1] - .9 * 2 * .0025 / 2);
        if (s >= 0 || uniform() < exp(s)) { replica t = c[0]; c[0] = c[1]; c[1] = t; swaps++; }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec);
    printf("%.2f ns/chain-step  swaps %.4f  reflected %.4f  fallbacks %ld  mean U %.3f\n", ns / (2.0 * iterations),
           (double)swaps / iterations, hit / (2.0 * iterations), lost, sum / iterations);
    return 0;
}
