/* Elementary functions of 64 lanes by glibc's vector library libmvec (4 units in the last
 * place), which gcc calls in such loops: name and ns a lane, of the quickest of 200 runs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 64 };
static double a[N], b[N], y[N], z[N];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

#define FUNCTION(name, body)                                                                  \
    static __attribute__((noinline)) void name(void) {                                        \
        _Pragma("omp simd") for (int i = 0; i < N; i++) { body; }                             \
    }
FUNCTION(Sqrt, y[i] = sqrt(a[i]))
FUNCTION(Exp, y[i] = exp(a[i]))
FUNCTION(Expm1, y[i] = expm1(a[i]))
FUNCTION(Log, y[i] = log(a[i]))
FUNCTION(Log1p, y[i] = log1p(a[i]))
FUNCTION(Sin, y[i] = sin(a[i]))
FUNCTION(Cos, y[i] = cos(a[i]))
FUNCTION(Tan, y[i] = tan(a[i]))
FUNCTION(Tanh, y[i] = tanh(a[i]))
FUNCTION(SinCos, y[i] = sin(a[i]); z[i] = cos(a[i]))
FUNCTION(Erf, y[i] = erf(a[i]))
FUNCTION(Erfc, y[i] = erfc(a[i]))
FUNCTION(Pow, y[i] = pow(a[i], b[i]))
FUNCTION(Sigmoid, y[i] = 1 / (1 + exp(-a[i])))
FUNCTION(Softplus, y[i] = fmax(a[i], 0) + log1p(exp(-fabs(a[i]))))

#define TIME(name) measure(#name, name)
static void measure(const char *name, void (*f)(void)) {
    double best = 1e18;
    for (int k = 0; k < 200; k++) {
        double t = now();
        for (int j = 0; j < 50; j++) {
            f();
            __asm__ volatile("" : : "r"(y), "r"(z) : "memory"); /* y and z are looked at */
        }
        t = now() - t;
        best = t < best ? t : best;
    }
    printf("%s %.3f ns/lane\n", name, best / 50 / N);
}

int main(void) {
    srand(5);
    for (int i = 0; i < N; i++) {
        a[i] = -log((rand() + 0.5) / (RAND_MAX + 1.0));
        b[i] = -log((rand() + 0.5) / (RAND_MAX + 1.0));
    }
    TIME(Sqrt), TIME(Exp), TIME(Expm1), TIME(Log), TIME(Log1p), TIME(Sin), TIME(Cos), TIME(Tan), TIME(Tanh);
    TIME(SinCos), TIME(Erf), TIME(Erfc), TIME(Pow), TIME(Sigmoid), TIME(Softplus);
    return 0;
}
