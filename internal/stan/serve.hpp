// Serves a Stan model by frames, version 2 of the protocol of internal/command. Stands after
// the C++ of the model.
//
//   MODEL DATA walls|own            answers requests
//   MODEL DATA walls|own describe   says in JSON what the model is
//
// DATA is a file of JSON, - is none. With walls parameters are coordinates where their walls can
// be walls; with own all go through Stan's transforms.
#include <fstream>
#include <iostream>
#include <random>

namespace r2sgld {

using model = stan::model::model_base;
using vars = Eigen::Matrix<var, Eigen::Dynamic, 1>;

// density is log p at x with Jacobians of what is transformed; with its gradient if there is room.
inline double density(const model& m, const Eigen::VectorXd& x, bool whole, double* gradient) {
  static vars v;
  v.resize(x.size());
  for (Eigen::Index i = 0; i < x.size(); i++) v(i) = var(x(i));
  struct recovered {
    ~recovered() { stan::math::recover_memory(); }
  } after;
  var lp = whole ? m.log_prob_jacobian(v, nullptr) : m.log_prob_propto_jacobian(v, nullptr);
  if (gradient) {
    lp.grad();
    for (Eigen::Index i = 0; i < x.size(); i++) gradient[i] = v(i).adj();
  }
  return lp.val();
}

// A Start is where the log density is finite, found as Stan does: coordinates of its transforms
// uniform between −2 and 2, at most 100 times.
struct start {
  Eigen::VectorXd x;
  double constant = 0;  // what is left out of log densities that are known up to one
  bool found = false;
  std::string why;      // of the last try
};

// constrained are the coordinates to which Stan's transforms take u.
inline Eigen::VectorXd constrained(const model& m, const Eigen::VectorXd& u) {
  auto& r = book();
  r.own = r.noted = true;
  r.constrained.assign(u.data(), u.data() + u.size());
  try {
    density(m, u, false, nullptr);
  } catch (const std::exception&) {  // after the parameters were read
  }
  r.own = r.noted = false;
  Eigen::VectorXd x = Eigen::Map<Eigen::VectorXd>(r.constrained.data(), u.size());
  r.constrained.clear();
  r.notes.clear();
  r.rows.clear();
  return x;
}

// mass is about the logarithm of what a normal law holds that is as high as the density at x and as wide along
// each coordinate as its second derivatives tell.
inline double mass(const model& m, const Eigen::VectorXd& x) {
  constexpr double bit = 1e-4;
  Eigen::VectorXd at = x, here(x.size()), there(x.size());
  double log = density(m, x, false, here.data());
  for (Eigen::Index j = 0; j < x.size(); j++) {
    at(j) = x(j) + bit;
    density(m, at, false, there.data());
    at(j) = x(j);
    log -= std::log(std::max(1e-8, (here(j) - there(j)) / bit)) / 2;
  }
  return log;
}

// climb goes from u towards a mode of the density of Stan's coordinates by some steps of L-BFGS:
// where data are many, or their units large, the density elsewhere is too steep to begin in. Where
// the density is infinite, as that of groups is at a scale of 0, steps go on to where there is next
// to no mass: they are then those up to where they begin to gain little.
inline Eigen::VectorXd climb(model& m, const Eigen::VectorXd& u) {
  constexpr std::size_t steps = 200, window = 5;
  constexpr Eigen::Index most = 1000;  // coordinates, each of which takes a gradient
  const double little = window * static_cast<double>(u.size());  // draws lie half of one a coordinate below a mode
  std::vector<std::vector<double>> way;
  std::vector<double> at(u.data(), u.data() + u.size()), height;
  std::vector<int> none;
  std::stringstream said;
  const auto vector = [](std::vector<double>& x) { return Eigen::VectorXd(Eigen::Map<Eigen::VectorXd>(x.data(), x.size())); };
  book().own = true;
  try {
    stan::optimization::BFGSLineSearch<model, stan::optimization::LBFGSUpdate<>, double, Eigen::Dynamic, true> search(m, at, none, &said);
    Eigen::VectorXd slope(u.size());
    density(m, u, false, slope.data());
    search._ls_opts.alpha0 = std::min(1e-3, 0.1 / slope.lpNorm<Eigen::Infinity>());  // a first step in which nothing overflows
    while (way.size() < steps && search.step() == 0) {
      search.params_r(at);
      way.push_back(at);
      height.push_back(search.logp());
    }
    std::size_t i = window;
    while (i < way.size() && height[i] - height[i - window] >= little) i++;
    if (i < way.size() && u.size() <= most && height.back() - height[i - window] > 1.2 * little) {
      auto& before = way[i - window];
      if (mass(m, vector(before)) > mass(m, vector(at))) at = before;
    }
  } catch (const std::exception&) {  // as far as it came
  }
  book().own = false;
  return vector(at);
}

// begin finds a start, near a mode if it is to climb.
inline start begin(model& m, bool own, unsigned seed, bool climbing) {
  start s;
  const auto d = static_cast<Eigen::Index>(m.num_params_r());
  std::mt19937_64 random(seed);
  for (int tries = 0; tries < 100 && !s.found; tries++) {
    Eigen::VectorXd u(d), g(d);
    for (Eigen::Index i = 0; i < d; i++) u(i) = 4 * ((random() >> 11) * 0x1p-53) - 2;
    for (int climbed = 0; climbed <= climbing; climbed++) {
      if (climbed) u = climb(m, u);
      Eigen::VectorXd x = own ? u : constrained(m, u);
      book().own = own;
      try {
        const double lp = density(m, x, false, g.data());
        if (!std::isfinite(lp) || !g.allFinite()) {
          s.why = "the log density is " + std::to_string(lp) + ", or its gradient is not finite";
          break;
        }
        s.found = true;
        s.x = x;
        s.constant = density(m, x, true, nullptr) - lp;
      } catch (const std::exception& e) {
        s.why = e.what();
        break;
      }
    }
  }
  book().own = own;
  return s;
}

inline std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (unsigned char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// spelled is a name of Stan's as its programs write it: theta.1.2 is theta[1,2].
inline std::string spelled(std::string name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  name[dot] = '[';
  std::replace(name.begin() + dot, name.end(), '.', ',');
  return name + "]";
}

inline std::string number(double v) {
  if (!std::isfinite(v)) return "null";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", v);
  return buffer;
}

template <typename V, typename F>
std::string list(const V& v, const F& f) {
  std::string out = "[";
  for (std::size_t i = 0; i < v.size(); i++) out += (i ? ", " : "") + f(v[i]);
  return out + "]";
}

// walls are the bounds of coordinates and the rows between them. A bound that depends on other
// coordinates makes a row where it does so linearly, which two points tell.
struct walls {
  std::vector<double> lower, upper;
  std::vector<row> rows;
  std::vector<std::size_t> bent;  // coordinates with a bound that is neither

  void bound(std::size_t i, bool above, double b) {
    if (above)
      upper[i] = std::min(upper[i], b);
    else
      lower[i] = std::max(lower[i], b);
  }
};

inline walls wallsOf(const model& m) {
  const std::size_t d = m.num_params_r();
  auto& r = book();
  const double inf = std::numeric_limits<double>::infinity();
  walls w{std::vector<double>(d, -inf), std::vector<double>(d, inf), {}, {}};
  std::vector<std::vector<double>> first;  // of each note: bound, then slopes
  std::mt19937_64 random(1);
  for (int look = 0; look < 2; look++) {
    r.notes.clear();
    r.rows.clear();
    r.plain.assign(d, false);
    r.noted = true;
    vars v(d);
    Eigen::VectorXd x(d);
    for (std::size_t i = 0; i < d; i++) v(i) = var(x(i) = 0.1 + 0.8 * ((random() >> 11) * 0x1p-53));
    try {
      m.log_prob_propto_jacobian(v, nullptr);
    } catch (const std::exception&) {  // after the parameters were read
    }
    r.noted = false;
    for (std::size_t k = 0; k < r.notes.size(); k++) {
      stan::math::set_zero_all_adjoints();
      r.notes[k].bound.grad();
      std::vector<double> now{r.notes[k].bound.val()};
      bool tied = false;
      for (std::size_t i = 0; i < d; i++) {
        now.push_back(v(i).adj());
        tied = tied || now.back() != 0;
        now[0] -= now.back() * x(i);
      }
      const note& n = r.notes[k];
      if (look == 0) {
        first.push_back(now);
        continue;
      }
      bool straight = true;
      for (std::size_t i = 0; i < now.size(); i++)
        straight = straight && std::abs(now[i] - first[k][i]) <= 1e-12 * (1 + std::abs(now[i]));
      if (!straight) {
        if (w.bent.empty() || w.bent.back() != n.at) w.bent.push_back(n.at);
      } else if (!tied) {
        w.bound(n.at, n.upper, n.bound.val());
      } else {
        const double sign = n.upper ? -1 : 1;
        row between{{{n.at, sign}}, sign * now[0]};
        for (std::size_t i = 0; i < d; i++)
          if (now[i + 1] != 0) between.c.push_back({i, -sign * now[i + 1]});
        w.rows.push_back(between);
      }
    }
    stan::math::recover_memory();
  }
  for (const row& between : r.rows) {
    if (between.c.size() == 1 && between.c[0].second == 1)
      w.bound(between.c[0].first, false, between.least);
    else
      w.rows.push_back(between);
  }
  return w;
}

// namesOf are those of coordinates: of a parameter its own, of what goes through one of Stan's
// transforms that of its free value. Which is which is told by values, for Stan's own list of
// free names has the places of arrays of vectors in another order.
inline std::vector<std::string> namesOf(const model& m, const std::vector<bool>& plain, bool own) {
  const std::size_t d = m.num_params_r();
  std::vector<std::string> names, parameters;
  m.unconstrained_param_names(names, false, false);
  m.constrained_param_names(parameters, false, false);
  for (std::string& n : names) n = spelled(n) + ".free";
  std::mt19937_64 random(3);
  Eigen::VectorXd x(d), out;
  for (std::size_t i = 0; i < d; i++) x(i) = 0.1 + 0.8 * ((random() >> 11) * 0x1p-53);
  auto rng = stan::services::util::create_rng(1, 1);
  book().own = false;
  try {
    m.write_array(rng, x, out, false, false, nullptr);
  } catch (const std::exception&) {
  }
  book().own = own;
  for (std::size_t i = 0; i < d; i++)
    for (Eigen::Index k = 0; plain[i] && k < out.size(); k++)
      if (out(k) == x(i)) names[i] = spelled(parameters[k]) + (own ? ".free" : "");
  return names;
}

inline int describe(model& m, bool own) {
  const std::size_t d = m.num_params_r();
  walls w = wallsOf(m);
  std::vector<bool> plain = book().plain;
  const std::vector<std::string> names = namesOf(m, plain, own);
  if (own) {
    w = {std::vector<double>(d, -INFINITY), std::vector<double>(d, INFINITY), {}, {}};
    plain.assign(d, false);
  }
  std::vector<start> starts;
  std::string why;
  for (unsigned seed = 1; seed <= 8 && why.empty(); seed++) {
    starts.push_back(begin(m, own, seed, true));
    if (!starts.back().found) {
      why = starts.back().why;
      starts.pop_back();
    }
  }
  const auto text = [](const std::string& s) { return quoted(s); };
  std::cout << "{\"names\": " << list(names, text)
            << ",\n\"plain\": " << list(plain, [](bool b) { return std::string(b ? "true" : "false"); })
            << ",\n\"lower\": " << list(w.lower, number) << ",\n\"upper\": " << list(w.upper, number) << ",\n\"rows\": "
            << list(w.rows,
                    [](const row& r) {
                      return "{\"of\": " + list(r.c, [](const auto& p) { return std::to_string(p.first); }) + ", \"times\": "
                             + list(r.c, [](const auto& p) { return number(p.second); }) + ", \"least\": " + number(r.least) + "}";
                    })
            << ",\n\"bent\": " << list(w.bent, [](std::size_t i) { return std::to_string(i); })
            << ",\n\"starts\": "
            << list(starts, [](const start& s) { return list(std::vector<double>(s.x.data(), s.x.data() + s.x.size()), number); })
            << ",\n\"why\": " << quoted(why)
            << "}\n";
  return std::cout.flush() ? 0 : 1;
}

struct request {
  std::uint32_t states, kind;
  std::int64_t seed;
};

inline void answer(std::uint32_t n, std::uint32_t status, const void* body, std::size_t size) {
  const std::uint32_t head[2] = {n, status};
  std::fwrite(head, sizeof head, 1, stdout);
  std::fwrite(body, 1, size, stdout);
  std::fflush(stdout);
}

inline int serve(model& m, bool own) {
  const std::size_t d = m.num_params_r();
  std::string hello;
  std::getline(std::cin, hello);
  std::vector<std::string> names;
  m.constrained_param_names(names, true, true);
  const double constant = begin(m, own, 1, false).constant;
  const auto text = [](const std::string& s) { return quoted(spelled(s)); };
  std::printf("{\"r2sgld\": 2, \"dimension\": %zu, \"lanewise\": true, \"outputs\": %s}\n", d, list(names, text).c_str());
  std::fflush(stdout);
  std::vector<double> x, y;
  request ask;
  while (std::fread(&ask, sizeof ask, 1, stdin) == 1) {
    const std::size_t n = ask.states;
    x.resize(n * d);
    if (std::fread(x.data(), sizeof(double), n * d, stdin) != n * d) return 0;
    try {
      Eigen::VectorXd at(d), out;
      if (ask.kind == 0) {
        y.resize(n * (d + 1));
        for (std::size_t i = 0; i < n; i++) {
          at = Eigen::Map<Eigen::VectorXd>(&x[i * d], d);
          double* g = &y[n + i * d];
          try {
            y[i] = -(density(m, at, false, g) + constant);
            for (std::size_t j = 0; j < d; j++) g[j] = -g[j];
          } catch (const std::domain_error&) {  // the model rejects
            y[i] = NAN;
          }
          if (std::isnan(y[i])) {
            y[i] = INFINITY;
            std::fill(g, g + d, 0.0);
          }
        }
      } else {
        y.assign(n * names.size(), NAN);
        for (std::size_t i = 0; i < n; i++) {
          at = Eigen::Map<Eigen::VectorXd>(&x[i * d], d);
          auto random = stan::services::util::create_rng(static_cast<unsigned>(ask.seed + i), 1);
          try {
            m.write_array(random, at, out, true, true, nullptr);
            std::copy(out.data(), out.data() + out.size(), &y[i * names.size()]);
          } catch (const std::exception&) {  // generated quantities that cannot be are NaN
            std::copy(out.data(), out.data() + std::min<std::size_t>(out.size(), names.size()), &y[i * names.size()]);
          }
        }
      }
    } catch (const std::exception& e) {
      const std::string why = e.what();
      answer(why.size(), 1, why.data(), why.size());
      return 1;
    }
    answer(ask.states, 0, y.data(), y.size() * sizeof(double));
  }
  return 0;
}

}  // namespace r2sgld

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    std::unique_ptr<stan::io::var_context> data(new stan::io::empty_var_context());
    if (std::string(argv[1]) != "-") {
      std::ifstream file(argv[1]);
      if (!file) throw std::invalid_argument(std::string("cannot read ") + argv[1]);
      data.reset(new stan::json::json_data(file));
    }
    std::unique_ptr<stan::model::model_base> m(&new_model(*data, 1, &std::cerr));
    const bool own = std::string(argv[2]) == "own";
    r2sgld::book().own = own;
    return argc > 3 ? r2sgld::describe(*m, own) : r2sgld::serve(*m, own);
  } catch (const std::exception& e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
}
