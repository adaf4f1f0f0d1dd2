// Two clusters that nobody names: the posterior has a mode for each naming, of equal weight.
// NUTS stays in the one that it finds first.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  vector<lower=-10, upper=10>[2] mu;
  vector<lower=0.1, upper=5>[2] sigma;
  real<lower=0, upper=1> theta;
}
model {
  mu ~ normal(0, 3);
  sigma ~ normal(0, 2);
  theta ~ beta(2, 2);
  for (n in 1:N)
    target += log_mix(theta, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
}
generated quantities {
  real apart = abs(mu[1] - mu[2]);
}
