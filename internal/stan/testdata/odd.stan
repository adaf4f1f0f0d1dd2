// A bound that bends, a density that rejects, a quantity that cannot be.
data {
  int<lower=1, upper=3> way;
}
parameters {
  vector[way == 2 ? 0 : 1] a;
  vector<lower=(way == 1 ? square(a[1]) : -10)>[way == 2 ? 0 : 1] b;
}
model {
  if (way == 3) {
    if (a[1] > -5) reject("never there");
  }
  a ~ normal(0, 1);
  b ~ normal(0, 1);
}
