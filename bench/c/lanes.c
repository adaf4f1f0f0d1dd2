/* The chain step of chain.c, energies and gradients exact, for many ladders of two rungs at
 * once, in vectors all the way: random numbers, drift, the test of the wall, reflection of
 * the packed lanes that left, potential, swaps, and every tenth draw kept.
 *
 *   ./lanes LANES WALLS STEPS   replicas (an even number of vectors), 1 for the flower and 0
 *                               for all of the plane, chain steps
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef W /* numbers in a vector */
#ifdef __AVX512F__
#define W 8
#else
#define W 4
#endif
#endif
typedef double vec __attribute__((vector_size(8 * W)));
typedef int64_t ivec __attribute__((vector_size(8 * W)));

static const double PI2 = 6.283185307179586476925;
static const double S = 2 / 3.5; /* the flower is r = S (sin 5θ + 3) */

enum { MOST = 1024, V = MOST / W, KEPT = 4096 };

static inline vec pick(ivec which, vec a, vec b) { return (vec)((which & (ivec)a) | (~which & (ivec)b)); }
static inline vec all(double v) { return v - (vec){0}; }

/* To the nearest integer, as a number and in the low bits of the sum with 1.5·2^52. */
static inline vec nearest(vec x, ivec *bits) {
    const vec big = all(0x1.8p52);
    vec sum = x + big;
    __asm__("" : "+x"(sum)); /* or -ffast-math takes the constant away again */
    *bits = (ivec)sum;
    return sum - big;
}

/* Sine and cosine of 2πx. */
static inline void turns(vec x, vec *sine, vec *cosine) {
    ivec q;
    vec k = nearest(4 * x, &q);
    vec r = (x - .25 * k) * PI2, z = r * r;
    vec s = r * (1 + z * (-1. / 6 + z * (1. / 120 + z * (-1. / 5040 + z * (1. / 362880 - z * (1. / 39916800))))));
    vec c = 1 + z * (-.5 + z * (1. / 24 + z * (-1. / 720 + z * (1. / 40320 + z * (-1. / 3628800 + z * (1. / 479001600))))));
    ivec odd = -(q & 1);
    vec a = pick(odd, c, s), b = pick(odd, s, c);
    *sine = (vec)((ivec)a ^ (q & 2) << 62);
    *cosine = (vec)((ivec)b ^ ((q + 1) & 2) << 62);
}

/* log u for normal u > 0: the exponent, and 2 artanh((m−1)/(m+1)) of m in [√½, √2). */
static inline vec logarithm(vec u) {
    ivec b = (ivec)u - 0x3fe6a09e667f3bcd;
    ivec e = b >> 52;
    vec m = (vec)((ivec)u - (e << 52));
    vec k = (vec)(e + 0x4338000000000000) - 0x1.8p52;
    vec t = (m - 1) / (m + 1), z = t * t;
    vec p = 1 + z * (1. / 3 + z * (1. / 5 + z * (1. / 7 + z * (1. / 9 + z * (1. / 11 + z * (1. / 13 + z * (1. / 15)))))));
    return k * 0.6931471805599453 + 2 * t * p;
}

/* exp x for −700 ≤ x ≤ 0. */
static inline vec exponential(vec x) {
    ivec q;
    vec k = nearest(x * 1.4426950408889634, &q), r = x - k * 0.6931471805599453;
    vec p = 1 + r * (1 + r * (.5 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720 + r * (1. / 5040 + r * (1. / 40320 + r * (1. / 362880)))))))));
    return (vec)((ivec)p + (q << 52));
}

/* xoshiro256++, a generator for each place in a vector of each row. */
typedef struct { ivec a, b, c, d; } generator;
static inline ivec left(ivec x, int k) { return (ivec)(x << k | (ivec)((uint64_t __attribute__((vector_size(8 * W))))x >> (64 - k))); }
static inline vec uniform(generator *g) {
    ivec r = left(g->a + g->d, 23) + g->a, t = g->b << 17;
    g->c ^= g->a; g->d ^= g->b; g->b ^= g->c; g->a ^= g->d; g->c ^= t; g->d = left(g->d, 45);
    ivec mantissa = (ivec)((uint64_t __attribute__((vector_size(8 * W))))r >> 12) | 0x3ff0000000000000;
    vec u = (vec)mantissa;
    __asm__("" : "+x"(u));
    return u - (1 - 0x1p-53);
}
static void seed(generator *g, uint64_t *x) {
    for (int i = 0; i < 4 * W; i++) {
        uint64_t z = *x += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        ((int64_t *)g)[i] = (int64_t)(z ^ z >> 31);
    }
}

/* The flower by (r − 3S) r⁵ ≤ S Im (x + iy)⁵. */
static inline ivec outside(vec x, vec y) {
    vec x2 = x * x, y2 = y * y, r2 = x2 + y2, r;
    for (int i = 0; i < W; i++) r[i] = sqrt(r2[i]);
    return (r - 3 * S) * r2 * r2 * r > S * y * (5 * x2 * x2 - 10 * x2 * y2 + y2 * y2);
}

/* Mirrors points at the nearest one of the curve: the best of 17 angles around their own,
 * found by turning, then Newton's method in steps that are not too long. */
enum { AROUND = 8, NEWTON = 6 };
static inline void mirror(vec *x, vec *y) {
    const double step = .07;
    const vec turnS = all(sin(step)), turnC = all(cos(step)), fiveS = all(sin(5 * step)), fiveC = all(cos(5 * step));
    vec ax = (vec)((ivec)*x & INT64_MAX), ay = (vec)((ivec)*y & INT64_MAX);
    ivec steep = ay > ax;
    vec r = pick(steep, ax, ay) / pick(steep, ay, ax), t = r * (PI2 / 8 + .273 * (1 - r)); /* of the angle, to 0.004 */
    t = pick(steep, PI2 / 4 - t, t);
    t = pick(*x < 0, PI2 / 2 - t, t);
    t = pick(*y < 0, -t, t) - AROUND * step;
    vec s, c, s5, c5, best = all(1e300), angle = t;
    turns(t * (1 / PI2), &s, &c);
    turns(5 * t * (1 / PI2), &s5, &c5);
    for (int k = -AROUND; k <= AROUND; k++) {
        vec a = S * (s5 + 3), dx = a * c - *x, dy = a * s - *y, q = dx * dx + dy * dy;
        ivec better = q < best;
        best = pick(better, q, best);
        angle = pick(better, t, angle);
        t += step;
        vec n = s * turnC + c * turnS, n5 = s5 * fiveC + c5 * fiveS;
        c = c * turnC - s * turnS; s = n;
        c5 = c5 * fiveC - s5 * fiveS; s5 = n5;
    }
    vec px = *x, py = *y;
    for (int k = 0; k <= NEWTON; k++) {
        turns(angle * (1 / PI2), &s, &c);
        vec c2 = c * c - s * s, s2 = 2 * s * c, c4 = c2 * c2 - s2 * s2, s4 = 2 * s2 * c2;
        s5 = s4 * c + c4 * s; c5 = c4 * c - s4 * s;
        vec a = S * (s5 + 3), a1 = 5 * S * c5, a2 = -25 * S * s5;
        px = a * c; py = a * s;
        vec tx = a1 * c - a * s, ty = a1 * s + a * c, dx = px - *x, dy = py - *y, f = dx * tx + dy * ty;
        vec h = tx * tx + ty * ty + dx * ((a2 - a) * c - 2 * a1 * s) + dy * ((a2 - a) * s + 2 * a1 * c);
        vec move = f / pick(h > .05, h, all(.05));
        move = pick(move > step, all(step), pick(move < -step, all(-step), move));
        angle -= move;
    }
    *x = 2 * px - *x;
    *y = 2 * py - *y;
}

static generator gen[V];
static vec x[2][V], y[2][V], gx[2][V], gy[2][V], u[2][V], toX[V], toY[V];
static double kept[2][3][KEPT * 2];
static double packX[MOST + W] __attribute__((aligned(64))), packY[MOST + W] __attribute__((aligned(64)));
static int where[MOST + W];
static long reflected, lost, swaps;

/* Packs the lanes that left, mirrors them until they are inside, and puts them back. */
static void reflect(int c, int n) {
    double *tx = (double *)toX, *ty = (double *)toY;
    int m = 0;
    for (int i = 0; i < n; i++) {
        ivec out = outside(toX[i], toY[i]);
        for (int l = 0; l < W; l++) {
            where[m] = i * W + l;
            m += out[l] != 0;
        }
    }
    reflected += m;
    for (int tries = 0; m > 0; tries++) {
        if (tries == 20) {
            for (int k = 0; k < m; k++) {
                int i = where[k];
                tx[i] = ((double *)x[c])[i]; ty[i] = ((double *)y[c])[i];
            }
            lost += m;
            return;
        }
        for (int k = 0; k < m; k++) { packX[k] = tx[where[k]]; packY[k] = ty[where[k]]; }
        for (int k = m; k % W; k++) { packX[k] = 3; packY[k] = 0; }
        int left = 0;
        for (int k = 0; k < m; k += W) {
            vec px = *(vec *)(packX + k), py = *(vec *)(packY + k);
            mirror(&px, &py);
            ivec out = outside(px, py);
            for (int l = 0; l < W && k + l < m; l++) {
                int i = where[k + l];
                tx[i] = px[l]; ty[i] = py[l];
                where[left] = i;
                left += out[l] != 0;
            }
        }
        m = left;
    }
}

int main(int argc, char **argv) {
    int lanes = argc > 1 ? atoi(argv[1]) : 256, walls = argc > 2 ? atoi(argv[2]) : 1;
    long steps = argc > 3 ? atol(argv[3]) : 10000000;
    if (lanes < 2 * W || lanes > 2 * MOST || lanes % (2 * W)) {
        fprintf(stderr, "lanes: give a multiple of %d up to %d, not %d\n", 2 * W, 2 * MOST, lanes);
        return 2;
    }
    const double eta[2] = {5e-4, 1.5e-3}, sd[2] = {sqrt(2 * 5e-4), sqrt(2 * 1.5e-3 * 10)};
    int n = lanes / 2 / W;
    uint64_t start = 1;
    for (int i = 0; i < n; i++) seed(&gen[i], &start);
    long iterations = steps / lanes;
    int at = 0;
    double sum = 0;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    for (long k = 0; k < iterations; k++) {
        for (int c = 0; c < 2; c++) {
            for (int i = 0; i < n; i++) {
                vec v = logarithm(uniform(&gen[i])), s, co;
                turns(uniform(&gen[i]), &s, &co);
                v *= -2;
                for (int l = 0; l < W; l++) v[l] = sqrt(v[l]);
                toX[i] = x[c][i] - eta[c] * gx[c][i] + sd[c] * (v * co);
                toY[i] = y[c][i] - eta[c] * gy[c][i] + sd[c] * (v * s);
            }
            if (walls) reflect(c, n);
            for (int i = 0; i < n; i++) {
                vec sx, cx, sy, cy, p = x[c][i] = toX[i], q = y[c][i] = toY[i];
                turns(p, &sx, &cx);
                turns(q, &sy, &cy);
                gx[c][i] = .4 * p + 2 * PI2 * sx;
                gy[c][i] = .4 * q + 2 * PI2 * sy;
                u[c][i] = .2 * (p * p + q * q) - 2 * (cx + cy);
            }
        }
        ivec traded = {0};
        for (int i = 0; i < n; i++) {
            vec s = .9 * (u[0][i] - u[1][i]);
            s = pick(s > 0, (vec){0}, pick(s < -700, all(-700), s));
            ivec trade = uniform(&gen[i]) < exponential(s);
            traded -= trade;
#define TRADE(v) do { vec cold = v[0][i], hot = v[1][i]; v[0][i] = pick(trade, hot, cold); v[1][i] = pick(trade, cold, hot); } while (0)
            TRADE(x); TRADE(y); TRADE(gx); TRADE(gy); TRADE(u);
        }
        for (int l = 0; l < W; l++) swaps += traded[l];
        if (k % 10 == 9) {
            for (int c = 0; c < 2; c++) {
                memcpy(kept[c][0] + at, x[c], 8 * n * W);
                memcpy(kept[c][1] + at, y[c], 8 * n * W);
                memcpy(kept[c][2] + at, u[c], 8 * n * W);
            }
            at = at + n * W < KEPT ? at + n * W : 0;
            sum += u[0][0][0];
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double ns = (b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec), done = (double)iterations * lanes;
    printf("%.2f ns/chain-step  swaps %.4f  reflected %.4f  fallbacks %ld  mean U %.3f\n", ns / done, 2 * swaps / done, reflected / done, lost,
           10 * sum / iterations);
    return 0;
}
