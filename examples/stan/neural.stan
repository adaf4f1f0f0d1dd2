// A regression by two hidden units: changing the signs of a unit, or the units, changes
// nothing, so that the posterior has eight modes of equal weight.
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  vector<lower=-6, upper=6>[2] w;
  vector<lower=-6, upper=6>[2] b;
  vector<lower=-6, upper=6>[2] v;
  real<lower=0.02, upper=1> sigma;
}
transformed parameters {
  vector[N] f = v[1] * tanh(w[1] * x + b[1]) + v[2] * tanh(w[2] * x + b[2]);
}
model {
  w ~ normal(0, 2);
  b ~ normal(0, 2);
  v ~ normal(0, 1);
  sigma ~ normal(0, 0.3);
  y ~ normal(f, sigma);
}
generated quantities {
  real positive = v[1] > 0;
}
