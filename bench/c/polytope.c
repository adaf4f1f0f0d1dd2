/* Steps reflected specularly in a polytope and in a cube, in C: a baseline of
 * script/bench-polytope. The polytope is {x : Ax <= 1}, 500 random unit rows in R^50.
 * A step takes one product with A, laid out by blocks of rows; along the path
 * slacks and rates are carried with the products of the rows, known beforehand. Slacks are carried from step to step and taken afresh
 * every 256 mirrorings. Normal numbers are drawn beforehand.
 *
 *   polytope STEPS   prints CPU nanoseconds per step and per mirroring for a Langevin
 *                    chain on N(0, 0.5^2), eta = 0.01, for normal steps of sd 0.5 and 4
 *                    in each coordinate, and for steps of sd 0.5 folded in [-1, 1]^50
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 50, M = 500, W = 32, P = (M + W - 1) / W * W, NOISE = 1024, CAP = 1000, STALE = 256 };
#define LINE __attribute__((aligned(64)))
static double a[P][D], panel[P * D] LINE, gram[M][P] LINE, noise[NOISE][D];
static double slack[P] LINE, rate[P] LINE, end[P] LINE;
static uint64_t state = 1;

static double uniform(void) { /* splitmix64 */
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return ((z ^ z >> 31) >> 11) * 0x1p-53 + 0x1p-54;
}
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static void draw(void) {
    for (int i = 0; i < M; i++) {
        double s = 0;
        for (int j = 0; j < D; j++) { a[i][j] = normal(); s += a[i][j] * a[i][j]; }
        for (int j = 0; j < D; j++) a[i][j] /= sqrt(s);
    }
    for (int i = 0; i < P; i++)
        for (int j = 0; j < D; j++) panel[i / W * W * D + j * W + i % W] = a[i][j];
    for (int i = 0; i < M; i++)
        for (int k = 0; k < M; k++)
            for (int j = 0; j < D; j++) gram[i][k] += a[i][j] * a[k][j];
    for (int n = 0; n < NOISE; n++)
        for (int j = 0; j < D; j++) noise[n][j] = normal();
}

/* s = 1 - Ax; returns the least. */
static double slacks(double *restrict s, const double *restrict x) {
    double least = 1;
    for (int i = 0; i < P; i += W) {
        double sum[W] LINE = {0};
        const double *restrict p = panel + i * D;
        for (int j = 0; j < D; j++)
            for (int k = 0; k < W; k++) sum[k] += p[j * W + k] * x[j];
        for (int k = 0; k < W; k++) {
            s[i + k] = 1 - sum[k];
            least = s[i + k] < least ? s[i + k] : least;
        }
    }
    return least;
}

/* The first share of the path at which a slack is used up, and its row: sixteen rows
 * at a time are passed over where none is used up before the best so far. */
static double first(int *row) {
    double best = 1;
    *row = -1;
    for (int i = 0; i < P; i += 16) {
        double least = 0;
        for (int k = i; k < i + 16; k++) {
            double left = slack[k] - best * rate[k];
            least = left < least ? left : least;
        }
        if (least < 0)
            for (int k = i; k < i + 16; k++)
                if (slack[k] < best * rate[k]) { best = slack[k] / rate[k]; *row = k; }
    }
    return best < 0 ? 0 : best;
}

static int stale;
/* Ends the step x -> to behind the walls; slack is that of x before and after. */
static int reflect(double *restrict x, const double *restrict to) {
    if (slacks(end, to) >= 0) {
        memcpy(slack, end, sizeof slack);
        memcpy(x, to, D * sizeof *x);
        stale = 0;
        return 0;
    }
    double dir[D];
    int hits = 0, row;
    for (int j = 0; j < D; j++) dir[j] = to[j] - x[j];
    for (int i = 0; i < P; i++) rate[i] = slack[i] - end[i];
    for (; hits < CAP; hits++) {
        double t = first(&row), rest = 1 - t;
        if (row < 0) break;
        double c = 2 * rest * rate[row];
        for (int j = 0; j < D; j++) {
            x[j] += t * dir[j];
            dir[j] = rest * dir[j] - c * a[row][j];
        }
        const double *restrict g = gram[row];
        for (int i = 0; i < P; i++) {
            slack[i] -= t * rate[i];
            rate[i] = rest * rate[i] - c * g[i];
        }
        slack[row] = 0;
    }
    for (int j = 0; j < D; j++) x[j] += dir[j];
    for (int i = 0; i < P; i++) slack[i] -= rate[i];
    stale += hits;
    if (stale >= STALE) { slacks(slack, x); stale = 0; }
    return hits;
}

static int fold(double *restrict x, const double *restrict to) {
    int hits = 0;
    for (int j = 0; j < D; j++) {
        double y = to[j];
        if (y > 1 || y < -1) {
            hits++;
            y -= 4 * floor((y + 1) * 0.25); /* period 4: [-1, 3) */
            y = y > 1 ? 2 - y : y;
        }
        x[j] = y;
    }
    return hits;
}

static void measure(const char *name, double keep, double sd, int (*step)(double *, const double *), long steps) {
    double x[D] = {0}, to[D], sum = 0;
    long hits = 0;
    struct timespec b, z;
    slacks(slack, x);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    for (long n = 0; n < steps; n++) {
        const double *e = noise[n % NOISE];
        for (int j = 0; j < D; j++) to[j] = keep * x[j] + sd * e[j];
        hits += step(x, to);
        sum += x[0];
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &z);
    double ns = (z.tv_sec - b.tv_sec) * 1e9 + (z.tv_nsec - b.tv_nsec);
    printf("bench/c/%s %.1f ns/step %.2f hits/step %.1f ns/hit (mean %.3f)\n", name, ns / steps, (double)hits / steps,
           ns / hits, sum / steps);
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 50000;
    draw();
    measure("langevin", 1 - 0.01 / 0.25, sqrt(0.02), reflect, steps);
    measure("sd=0.50", 1, 0.5, reflect, steps);
    measure("sd=4.00", 1, 4, reflect, steps / 10);
    measure("cube", 1, 0.5, fold, 10 * steps);
    return 0;
}
