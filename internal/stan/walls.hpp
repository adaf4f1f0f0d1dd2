// Reads a model's parameters as they are: the walls that Stan's transforms would take away stay
// walls. Stands before the C++ of a model, in which r2sgld::deserializer takes the place of
// stan::io::deserializer.
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/model/model_header.hpp>
#include <stan/optimization/bfgs.hpp>

namespace r2sgld {

using stan::math::var;

// A Row is the inequality Σ c·x ≥ least between coordinates.
struct row {
  std::vector<std::pair<std::size_t, double>> c;
  double least;
};

// A Note is a bound that one coordinate has; it may depend on others.
struct note {
  std::size_t at;
  bool upper;
  var bound;
};

// What is read of a model, and how.
struct reading {
  bool own = false;     // parameters come through Stan's transforms, with Jacobians
  bool noted = false;   // notes are taken
  std::vector<note> notes;
  std::vector<row> rows;           // of ordered vectors and simplexes
  std::vector<bool> plain;         // of coordinates that are parameters themselves
  std::vector<double> constrained; // values of plain coordinates as they were read
};

inline reading& book() {
  static reading r;
  return r;
}

// each calls f with the entries of x, in Stan's order.
template <typename X, typename F>
void each(const X& x, const F& f) {
  if constexpr (stan::is_stan_scalar<X>::value) {
    f(x);
  } else if constexpr (stan::is_std_vector<X>::value) {
    for (const auto& part : x) each(part, f);
  } else {
    const auto& whole = stan::math::eval(x);
    for (Eigen::Index i = 0; i < whole.size(); i++) f(whole(i));
  }
}

template <typename T>
class deserializer : public stan::io::deserializer<T> {
  using base = stan::io::deserializer<T>;
  std::size_t size_;

  std::size_t place() const { return size_ - this->available(); }

  // bound notes a bound of the coordinates from at on, which x holds.
  template <typename X, typename B>
  static std::size_t bound(std::size_t at, const X& x, const B& b, bool upper) {
    if constexpr (stan::is_std_vector<X>::value) {
      for (std::size_t k = 0; k < x.size(); k++) {
        if constexpr (stan::is_std_vector<B>::value)
          at = bound(at, x[k], b[k], upper);
        else
          at = bound(at, x[k], b, upper);
      }
      return at;
    } else if constexpr (stan::is_stan_scalar<B>::value) {
      each(x, [&](const auto&) { book().notes.push_back({at++, upper, var(b)}); });
      return at;
    } else {
      each(b, [&](const auto& v) { book().notes.push_back({at++, upper, var(v)}); });
      return at;
    }
  }

  // keep remembers coordinates that are parameters themselves.
  template <typename X>
  static void keep(std::size_t at, const X& x) {
    each(x, [&](const auto& v) {
      auto& r = book();
      if (at < r.plain.size()) r.plain[at] = true;
      if (at < r.constrained.size()) r.constrained[at] = stan::math::value_of(v);
      at++;
    });
  }

  template <typename X>
  static void chain(std::size_t at, const X& x, bool positive) {
    if (x.size() == 0) return;
    auto& r = book();
    if (positive) r.rows.push_back({{{at, 1}}, 0});
    for (std::size_t k = 1; k < static_cast<std::size_t>(x.size()); k++)
      r.rows.push_back({{{at + k, 1}, {at + k - 1, -1}}, 0});
  }

 public:
  template <typename R, typename I>
  deserializer(const R& r, const I& i) : base(r, i), size_(r.size()) {}

  // read of what has no bounds at all
  template <typename Ret, typename... Sizes>
  auto read(Sizes... sizes) {
    const std::size_t at = place();
    auto x = base::template read<Ret>(sizes...);
    if (book().noted) keep(at, x);
    return x;
  }

  template <typename Ret, bool Jacobian, typename LB, typename LP, typename... Sizes>
  auto read_constrain_lb(const LB& lb, LP& lp, Sizes... sizes) {
    const std::size_t at = place();
    std::decay_t<Ret> x = book().own ? std::decay_t<Ret>(base::template read_constrain_lb<Ret, Jacobian>(lb, lp, sizes...))
                                       : std::decay_t<Ret>(base::template read<Ret>(sizes...));
    if (book().noted) {
      bound(at, x, lb, false);
      keep(at, x);
    }
    return x;
  }

  template <typename Ret, bool Jacobian, typename UB, typename LP, typename... Sizes>
  auto read_constrain_ub(const UB& ub, LP& lp, Sizes... sizes) {
    const std::size_t at = place();
    std::decay_t<Ret> x = book().own ? std::decay_t<Ret>(base::template read_constrain_ub<Ret, Jacobian>(ub, lp, sizes...))
                                       : std::decay_t<Ret>(base::template read<Ret>(sizes...));
    if (book().noted) {
      bound(at, x, ub, true);
      keep(at, x);
    }
    return x;
  }

  template <typename Ret, bool Jacobian, typename LB, typename UB, typename LP, typename... Sizes>
  auto read_constrain_lub(const LB& lb, const UB& ub, LP& lp, Sizes... sizes) {
    const std::size_t at = place();
    std::decay_t<Ret> x = book().own
                              ? std::decay_t<Ret>(base::template read_constrain_lub<Ret, Jacobian>(lb, ub, lp, sizes...))
                              : std::decay_t<Ret>(base::template read<Ret>(sizes...));
    if (book().noted) {
      bound(at, x, lb, false);
      bound(at, x, ub, true);
      keep(at, x);
    }
    return x;
  }

  template <typename Ret, bool Jacobian, typename LP, typename... Sizes>
  auto read_constrain_ordered(LP& lp, std::size_t size, Sizes... sizes) {
    if constexpr (stan::is_std_vector<Ret>::value) {
      std::decay_t<Ret> all;
      for (std::size_t k = 0; k < size; k++)
        all.emplace_back(read_constrain_ordered<stan::value_type_t<Ret>, Jacobian>(lp, sizes...));
      return all;
    } else {
      const std::size_t at = place();
      std::decay_t<Ret> x = book().own ? std::decay_t<Ret>(base::template read_constrain_ordered<Ret, Jacobian>(lp, size))
                                         : std::decay_t<Ret>(base::template read<Ret>(size));
      if (book().noted) {
        chain(at, x, false);
        keep(at, x);
      }
      return x;
    }
  }

  template <typename Ret, bool Jacobian, typename LP, typename... Sizes>
  auto read_constrain_positive_ordered(LP& lp, std::size_t size, Sizes... sizes) {
    if constexpr (stan::is_std_vector<Ret>::value) {
      std::decay_t<Ret> all;
      for (std::size_t k = 0; k < size; k++)
        all.emplace_back(read_constrain_positive_ordered<stan::value_type_t<Ret>, Jacobian>(lp, sizes...));
      return all;
    } else {
      const std::size_t at = place();
      std::decay_t<Ret> x = book().own
                                ? std::decay_t<Ret>(base::template read_constrain_positive_ordered<Ret, Jacobian>(lp, size))
                                : std::decay_t<Ret>(base::template read<Ret>(size));
      if (book().noted) {
        chain(at, x, true);
        keep(at, x);
      }
      return x;
    }
  }

  // A simplex is all its entries but the last, which is what is left of 1.
  template <typename Ret, bool Jacobian, typename LP, typename... Sizes>
  auto read_constrain_simplex(LP& lp, std::size_t size, Sizes... sizes) {
    if constexpr (stan::is_std_vector<Ret>::value) {
      std::decay_t<Ret> all;
      for (std::size_t k = 0; k < size; k++)
        all.emplace_back(read_constrain_simplex<stan::value_type_t<Ret>, Jacobian>(lp, sizes...));
      return all;
    } else {
      const std::size_t at = place();
      stan::math::check_positive("read_simplex", "size", size);
      const auto whole = [&]() -> std::decay_t<Ret> {
        if (book().own) return base::template read_constrain_simplex<Ret, Jacobian>(lp, size);
        Eigen::Matrix<T, Eigen::Dynamic, 1> x(size);
        T rest = 1.0;
        for (std::size_t k = 0; k + 1 < size; k++) {
          x(k) = base::template read<T>();
          rest -= x(k);
        }
        x(size - 1) = rest;
        if constexpr (stan::is_var_matrix<Ret>::value)
          return stan::math::to_var_value(x);
        else
          return x;
      };
      std::decay_t<Ret> x = whole();
      auto& r = book();
      if (r.noted && size > 1) {
        row sum{{}, -1};
        for (std::size_t k = 0; k + 1 < size; k++) {
          r.rows.push_back({{{at + k, 1}}, 0});
          sum.c.push_back({at + k, -1});
          keep(at + k, x(k));
        }
        r.rows.push_back(sum);
      }
      return x;
    }
  }
};

}  // namespace r2sgld
