// Parameters of every kind.
data {
  int<lower=0> K;
  vector[K] least;
  real most;
}
parameters {
  real<lower=0> a;
  real<lower=2 * a - 1> b;
  real<upper=most> c;
  vector<lower=least>[K] v;
  array[2] simplex[3] s;
  positive_ordered[2] o;
  cholesky_factor_corr[3] L;
  real<offset=1, multiplier=2> z;
  array[2] real<lower=-1, upper=1> r;
  matrix[2, 2] M;
}
transformed parameters {
  real ab = a + b;
  matrix[2, 2] twice = 2 * M;
}
model {
  a ~ exponential(1);
  b ~ normal(0, 2);
  c ~ normal(0, 1);
  v ~ normal(0, 1);
  s[1] ~ dirichlet([2, 3, 4]');
  o ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  z ~ normal(1, 2);
  to_vector(M) ~ normal(0, 1);
}
generated quantities {
  real y = normal_rng(a, 1);
}
