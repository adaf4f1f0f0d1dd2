#!/bin/bash
# A run with workers on the nodes of a Slurm job: sbatch deploy/slurm.sh RUN COMMAND...
#   sbatch deploy/slurm.sh runs/model identify model.yaml
#   R2SGLD_WORK="--allow command" sbatch --nodes=8 deploy/slurm.sh runs/wells sample wells.yaml --seed 7
# COMMAND is one of r2sgld that has --out and --hub, R2SGLD_WORK are flags of the workers. The run
# is a process of the first node. Where RUN is there already it goes on, so that the script can be
# submitted again after the time limit. r2sgld must be in the PATH of all nodes.
#SBATCH --job-name=r2sgld
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
#SBATCH --no-kill
#SBATCH --open-mode=append
set -euo pipefail
run=${1:?RUN} command=${2:?COMMAND}
shift
port=${R2SGLD_PORT:-$((20000 + SLURM_JOB_ID % 20000))}
url= scratch=${TMPDIR:-/tmp}/r2sgld-$SLURM_JOB_ID

hub=$scratch/hub
rm -rf "$scratch" # of this job before it was requeued
(umask 077 && mkdir -p "$hub")
r2sgld hub "$hub" --listen ":$port" >"$hub/log" &
broker=$!
steps=
leave() {
    for _ in {1..10}; do # workers that are told to end remove their files; a signal to srun would kill them
        [ -n "$steps" ] && kill -0 "$steps" 2>/dev/null || break
        scancel --signal=TERM "$SLURM_JOB_ID" 2>/dev/null || true
        sleep 1
    done
    kill $(jobs -p) 2>/dev/null || true
    wait
    rm -rf "$scratch" "$url"
}
trap leave EXIT
until [ -s "$hub/token" ]; do
    kill -0 $broker 2>/dev/null || { cat "$hub/log" >&2; exit 1; }
    sleep 0.2
done

# The URL comes from a file: others on a node see the arguments of a command. The home
# folder must be one for all nodes; files of the run go to each node's own disk.
url=$HOME/.r2sgld-$SLURM_JOB_ID
(umask 077 && echo "nats://$(cat "$hub/token")@$(hostname):$port" >"$url")

# One worker on each node, with all its processors: a step has those of the job only where it is told.
srun --overlap --no-kill --cpus-per-task="$SLURM_CPUS_PER_TASK" sh -c 'url=$0 dir=$1-$SLURM_PROCID; shift; trap "rm -rf $dir" EXIT; trap : TERM; r2sgld work "@$url" --slots "$SLURM_CPUS_PER_TASK" --dir "$dir" "$@"' \
    "$url" "/tmp/r2sgld-work-$SLURM_JOB_ID" ${R2SGLD_WORK:-} &
steps=$!

if [ -e "$run/run.json" ]; then
    set -- resume "$run"
else
    set -- "$@" --out "$run"
fi
r2sgld "$@" --hub "@$url" &
job=$!
# A checkpoint is written. scancel has signalled the run too, and a second signal would end it at once.
trap 'sleep 2; kill -TERM $job 2>/dev/null || true' TERM
while kill -0 $job 2>/dev/null; do wait $job || true; done # a signal ends a wait
wait $job # is remembered
