// A damped oscillator that is seen once a second: at these times a fast one looks like a slow
// one, and the frequency has several basins. Weak data leave all of them possible.
functions {
  vector motion(real t, vector x, real omega, real damping) {
    vector[2] slope;
    slope[1] = x[2];
    slope[2] = -square(omega) * x[1] - 2 * damping * x[2];
    return slope;
  }
}
data {
  int<lower=1> N;
  array[N] real t;
  vector[N] y;
}
parameters {
  real<lower=0.5, upper=8> omega;
  real<lower=0, upper=0.5> damping;
  real<lower=0.02, upper=1> sigma;
}
model {
  array[N] vector[2] x = ode_rk45_tol(motion, [1, 0]', 0, t, 1e-6, 1e-6, 10000, omega, damping);
  sigma ~ normal(0, 0.3);
  for (n in 1:N)
    y[n] ~ normal(x[n, 1], sigma);
}
generated quantities {
  real fast = omega > pi();
}
