"""How much faster a double well mixes with a hot replica, before any run."""

import r2sgld

box = {"box": {"x": [-1.5, 1.5]}}
alone = r2sgld.theory("6*(x^2 - 1)^2", box)
both = r2sgld.theory("6*(x^2 - 1)^2", box, temperature=[1, 10], intensity=30, grid=120)
print(f"relaxation time {1 / alone['gap']:.3g} alone, {1 / both['gap']:.3g} with a replica at temperature 10")
