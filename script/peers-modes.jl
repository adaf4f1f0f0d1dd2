# A target of script/peers-modes.py by Pigeons.jl: julia peers-modes.jl TARGET SEED DRAWS.csv
#
# Ten rounds of non-reversible parallel tempering (1,024 draws) with the slice sampler, both the
# defaults of Pigeons, from the uniform law of the box (mixture: from its prior); log-density −Inf
# outside the domain. Writes the draws; the last line of stdout is JSON: log of the mean of the
# likelihood over the reference, and CPU seconds without compiling. Not run so far: it needs Julia
# with Pigeons, `julia -e 'using Pkg; Pkg.add("Pigeons")'`.

using Pigeons, Random

const NUMBERS = [-4.1, -3.6, -3.2, -2.9, -2.5, -2.0, -1.2, -0.6, -0.1, 0.3, 0.8, 1.4, 2.9, 3.4, 3.8, 4.1, 4.7, 5.2]

struct Problem
    d::Int
    low::Float64
    high::Float64
    normal::Bool # the reference is normal(0, 5), not the box
    inside::Function
    log::Function
end

logaddexp(a, b) = max(a, b) + log1p(exp(-abs(a - b)))
normal(x, m, s) = -0.5 * sum(abs2, (x .- m) ./ s) - length(x) * (log(s) + 0.5 * log(2π))
shell(x, c) = -50 * (sqrt((x[1] - c)^2 + sum(abs2, @view x[2:end])) - 2)^2

const PROBLEMS = Dict(
    "normals" => Problem(20, -6, 6, false, x -> x[1] + x[2] <= 5,
        x -> logaddexp(log(0.7) + normal(x, 2, 0.5), log(0.3) + normal(x, -2, 1))),
    "island" => Problem(2, -4, 4, false, x -> min(x[1]^2 + x[2]^2 - 1, (x[1] - 3)^2 + x[2]^2 - 0.0009) <= 0, x -> 3 * x[1]),
    "mixture" => Problem(3, -Inf, Inf, true, x -> true,
        x -> sum(log(sum(exp(-0.5 * (y - m)^2) for m in x) + 1e-300) - log(3) - 0.5 * log(2π) for y in NUMBERS)),
    "eggbox" => Problem(2, 0, 10π, false, x -> true, x -> (2 + cos(x[1] / 2) * cos(x[2] / 2))^5),
    "shells" => Problem(10, -6, 6, false, x -> true,
        x -> logaddexp(log(0.25) + shell(x, 3.5), log(0.75) + shell(x, -3.5)) - 0.5 * log(0.02π)))

struct Reference
    p::Problem
end
struct Target
    p::Problem
end

function (r::Reference)(x)
    all(r.p.low .<= x .<= r.p.high) || return -Inf
    r.p.normal ? normal(x, 0, 5) : -r.p.d * log(r.p.high - r.p.low)
end

function (t::Target)(x)
    base = Reference(t.p)(x)
    isfinite(base) && t.p.inside(x) ? base + t.p.log(x) : -Inf
end

draw(p::Problem, rng) = p.normal ? 5 .* randn(rng, p.d) : p.low .+ (p.high - p.low) .* rand(rng, p.d)

function Pigeons.initialization(t::Target, rng::AbstractRNG, ::Int)
    x = draw(t.p, rng)
    while !isfinite(t(x))
        x = draw(t.p, rng)
    end
    x
end
Pigeons.initialization(r::Reference, rng::AbstractRNG, ::Int) = draw(r.p, rng)
Pigeons.sample_iid!(r::Reference, replica, shared) = (replica.state .= draw(r.p, replica.rng))

p = PROBLEMS[ARGS[1]]
sample(seed, rounds) = pigeons(target = Target(p), reference = Reference(p), seed = seed, n_rounds = rounds,
    record = [traces; record_default()], show_report = false)
sample(1, 3) # compiles
cpu() = ccall(:clock, Clong, ()) / 1e6
begun = cpu()
pt = sample(parse(Int, ARGS[2]), 10)
spent = cpu() - begun
draws = sample_array(pt) # draws × variables and the log density × chains
open(ARGS[3], "w") do f
    for i in axes(draws, 1)
        println(f, join(draws[i, 1:p.d, 1], ","))
    end
end
println("{\"log_z\": $(stepping_stone(pt)), \"cpu_seconds\": $spent}")
