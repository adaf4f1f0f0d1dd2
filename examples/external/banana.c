/* A density with two curved modes, for r2sgld: energy and gradient, line by line.
 *
 *     cc -O2 -o banana banana.c -lm
 *
 * README.md says the protocol, banana-c.yaml runs it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* U = 2(x^2 - 1)^2 + 5(y + 1 - x^2)^2 + 0.3 x and its partial derivatives. */
static double energy(double x, double y, double *gx, double *gy)
{
    double a = x * x - 1;
    double b = y + 1 - x * x;
    *gx = 8 * x * a - 20 * x * b + 0.3;
    *gy = 10 * b;
    return 2 * pow(a, 2) + 5 * pow(b, 2) + 0.3 * x;
}

int main(void)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        return 1;
    /* A block has so many states: flushing once for each is faster. */
    char *at = strstr(line, "\"states\":");
    long states = at ? strtol(at + strlen("\"states\":"), NULL, 10) : 1;
    printf("{\"r2sgld\": 1, \"dimension\": 2, \"names\": [\"x\", \"y\"]}\n");
    fflush(stdout);

    for (long n = 1; fgets(line, sizeof line, stdin); n++) {
        char *next;
        strtoull(line, &next, 10); /* the seed is for minibatches */
        double x = strtod(next, &next);
        double y = strtod(next, &next);
        double gx, gy, u = energy(x, y, &gx, &gy);
        printf("%.17g %.17g %.17g\n", u, gx, gy);
        if (n % states == 0)
            fflush(stdout);
    }
    return 0;
}
