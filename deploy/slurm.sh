#!/bin/bash
# A run with workers on the nodes of a Slurm job: sbatch deploy/slurm.sh CONFIG.yaml RUN
# The run is a process of the first node. Where RUN is there already it goes on, so that the
# script can be submitted again after the time limit.
#SBATCH --job-name=r2sgld
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
set -euo pipefail
config=${1:?CONFIG.yaml} run=${2:?RUN}
port=${R2SGLD_PORT:-$((20000 + SLURM_JOB_ID % 20000))}
url= scratch=${TMPDIR:-/tmp}/r2sgld-$SLURM_JOB_ID

hub=$scratch/hub
(umask 077 && mkdir -p "$hub")
r2sgld hub "$hub" --listen ":$port" >"$hub/log" &
broker=$!
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$scratch" "$url"' EXIT
until [ -s "$hub/token" ]; do
    kill -0 $broker 2>/dev/null || { cat "$hub/log" >&2; exit 1; }
    sleep 0.2
done

# The URL comes from a file: others on a node see the arguments of a command. The home
# folder must be one for all nodes; files of the run go to each node's own disk.
url=$HOME/.r2sgld-$SLURM_JOB_ID
(umask 077 && echo "nats://$(cat "$hub/token")@$(hostname):$port" >"$url")

# One worker on each node, with all its processors: a step has those of the job only where it is told.
srun --overlap --cpus-per-task="$SLURM_CPUS_PER_TASK" sh -c 'trap "rm -rf $1" EXIT; trap : TERM; r2sgld work "@$0" --slots "$SLURM_CPUS_PER_TASK" --dir "$1"' \
    "$url" "/tmp/r2sgld-work-$SLURM_JOB_ID" &

if [ -e "$run/run.json" ]; then
    set -- resume "$run"
else
    set -- sample "$config" --out "$run"
fi
r2sgld "$@" --hub "@$url" &
job=$!
trap 'kill -TERM $job 2>/dev/null || true' TERM # a checkpoint is written
code=0
wait $job || code=$?
while kill -0 $job 2>/dev/null; do code=0; wait $job || code=$?; done # a signal ends a wait
exit "$code"
